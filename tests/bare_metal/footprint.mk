# Beside the example: programs that use a part of the tracer each and nothing of a board, for every
# target, so that the linker tells what that part takes.
include $(dir $(lastword $(MAKEFILE_LIST)))../../examples/bare_metal/Makefile

footprints := $(addprefix $(OUT)/,footprint_ring.elf footprint_stream.elf)

.PHONY: footprint
footprint: all $(footprints) $(OUT)/tests/bare_metal/struct_sizes.o

# Strings are not merged, so that the map tells whose they are.
$(footprints): $(OUT)/footprint_%.elf: $(OUT)/tests/bare_metal/footprint_%.o $(library) \
    $(call objects,$(no_libc))
	@$(CLANG) $(LDFLAGS) -static -Wl,-e,start -Wl,-O0 -Wl,-Map,$@.map $^ -o $@
