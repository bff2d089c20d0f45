# Beside the example: for every target, programs that use a part of the tracer each and nothing of a
# board, so that the linker tells what that part takes; for boards, one with an interrupt handler.
include $(dir $(lastword $(MAKEFILE_LIST)))../../examples/bare_metal/Makefile

footprints := $(addprefix $(OUT)/,footprint_ring.elf footprint_stream.elf)

.PHONY: footprint
footprint: all $(footprints) $(OUT)/tests/bare_metal/struct_sizes.o

# Strings are not merged, so that the map tells whose they are.
$(footprints): $(OUT)/footprint_%.elf: $(OUT)/tests/bare_metal/footprint_%.o $(library) \
    $(call objects,$(no_libc))
	@$(CLANG) $(ldflags) -static -Wl,-e,start -Wl,-O0 -Wl,-Map,$@.map $^ -o $@

# They have the handler that systick.c would bring.
$(addprefix $(OUT)/,interrupts.elf interrupt_sweep.elf): $(OUT)/%.elf: $(OUT)/tests/bare_metal/%.o \
    $(call objects,$(filter-out %/systick.c,$(board)) $(no_libc)) $(library)
	@$(CLANG) $(ldflags) $(board_ldflags) $^ -o $@

.PHONY: interrupts
interrupts: $(OUT)/interrupts.elf $(OUT)/interrupt_sweep.elf
	@$(call qemu,interrupts)
	@$(call qemu,interrupt_sweep)
