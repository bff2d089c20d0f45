# The commands of the project, over CMake. `make help` lists them.
#
# EXECUTORCH_ROOT  a runtime of your own (include/ and lib/); otherwise `make setup` fetches one
# PREFIX, DESTDIR  where `make install` puts things
# JOBS             processes at a time
# FUZZ_SECONDS     time for each fuzz target
# FUZZ_HOURS       time of `make fuzz-night`; FUZZ_CORPUS: where it keeps what it found
# WITHOUT_ENGINE   1: `make test` goes on where the engine cannot be built
# VERBOSE          1: show what compilers and CMake print

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
FUZZ_HOURS ?= 2
CLANG_FORMAT ?= clang-format
PYTHON ?= python3

# `make -j` is for the compilations, which get JOBS; the steps below have an order.
.NOTPARALLEL:
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

ETSCOPE := build/bin/etscope
EXAMPLE := examples/mobile_cnn
SOURCES = $(shell find src include tests fuzz bench examples platforms \
    \( -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.hpp' \) 2>/dev/null)

# For new folders. Makefiles that CMake writes take 15 s more for the tests of one build.
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif

# Tests wait for programs that they watch: one more than JOBS keeps the cores busy.
test_jobs = $(shell expr $(JOBS) + 1)

# $(call compile,PRESET,OPTIONS,TARGETS): a line that names the log, and the errors where it fails.
compile = tools/quiet.sh "building$(if $(3), $(3)) ($(1))" build/$(1).log \
    sh -c 'cmake --preset $(1) "$$1" && cmake --build --preset $(1) --parallel $(JOBS) $(3:%=--target %)' \
    sh $(2)
# The runtime that the user named, or the one that was fetched.
with_engine = -DEXECUTORCH_ROOT="$${EXECUTORCH_ROOT:-$$(cat build/runtime.root 2>/dev/null)}"
has_engine = test -n "$$(find build/lib build/bin -name 'libetscope_engine.so' -o -name 'libetscope_engine.dylib' 2>/dev/null)"

.PHONY: help
help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
	    awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

.PHONY: setup
setup: ## install what is missing, fetch the ExecuTorch runtime
	@tools/setup.sh

# Without the packages that only the tests need.
.PHONY: setup-host
setup-host:
	@tools/setup.sh --host-only

.PHONY: build
build: ## build with what is there (no network)
	@$(call compile,release,$(with_engine))
	@$(has_engine) || \
	    echo "build/bin/etscope reads files; \`make engine\` builds what runs programs"
	@! test -s build/lib/libetscope_llama.txt || \
	    echo "llama:: kernels are left out: $$(cat build/lib/libetscope_llama.txt)"

.PHONY: engine
engine: setup-host build ## fetch the runtime and build the engine that runs programs
	@$(has_engine) || { echo "the engine was not built" >&2; exit 1; }

# $(call profile,PROGRAM,OPTIONS): without ETRecord support there are no source lines; a pipe has no
# width of its own.
profile = PATH="$(CURDIR)/build/bin:$$PATH"; export PATH; \
    record="--etrecord $(EXAMPLE)/$(1).etrecord"; \
    etscope doctor --format json | grep -q '"etrecord": true' || record=; \
    command="etscope profile $(EXAMPLE)/$(1).pte $$record $(2)"; \
    printf '\n$$ %s\n' "$$command"; test -t 1 || export COLUMNS=104; $$command 2>&1

.PHONY: bundle
bundle: ## pack what --target pushes to machines of a processor, such as TARGET=aarch64 (default: this one's)
	@JOBS=$(JOBS) tools/bundle.sh $(TARGET)

.PHONY: windows
windows: ## build for Windows what needs no runtime: build-windows/bin/etscope.exe (mingw-w64)
	@JOBS=$(JOBS) tools/windows.sh

.PHONY: page
page: web ## make the page that reads dropped files, build-wasm/etscope.html (clang, lld, wasi-libc, node)
	@JOBS=$(JOBS) tools/wasm.sh
	@ls -l build-wasm/etscope.html | awk '{ printf "build-wasm/etscope.html: %.1f MB\n", $$5 / 1e6 }'

# Compilers for old systems and other processors come from PyPI and Debian (tools/release_setup.sh).
# RELEASE_URL: where the files will be, for the formula.
.PHONY: release
release: setup build ## make all files of a release in build/release/dist, and check each; nothing is uploaded
	@$(has_engine) || { echo "a release needs the engine: make engine" >&2; exit 1; }
	@tools/release_setup.sh
	@JOBS=$(JOBS) build/release/venv/bin/python tools/make_release.py

.PHONY: demo
demo: setup-host ## run an example with XNNPACK and print its operators with their source lines
	@$(call compile,release,$(with_engine),etscope)
	@$(call profile,xnnpack,--runs 20 --top 8)
	@$(call profile,portable,--runs 20 --group-by source --top 6)

# The other builds have the programs of their tests alone; `make test-long` builds the rest for them.
# They need no runtime and no Python, which are fetched meanwhile. The sanitizers' tests come first, so
# that what is skipped at the end is of the whole test suite.
.PHONY: test
test: ## run every test, and the unit tests and fuzz corpora under ASan and UBSan
	@tools/setup.sh --install
	@tools/setup.sh & setup=$$!; \
	trap 'kill $$setup 2>/dev/null' EXIT; trap 'exit 130' INT TERM; \
	$(call compile,asan,-DEXECUTORCH_ROOT=,test_programs) || exit; \
	if { $(can_run_foreign); } >/dev/null; then $(MAKE) build-foreign || exit; fi; \
	wait $$setup
	@$(MAKE) build
	@$(has_engine) || test -n "$(WITHOUT_ENGINE)" || { \
	    echo "no engine: its runtime could not be fetched (see above), and what runs programs would" \
	        "go untested; \`make test WITHOUT_ENGINE=1\` tests the rest" >&2; exit 1; }
	@foreign=1; { $(can_run_foreign); } >/dev/null || { foreign=; \
	    echo "cross compilers or qemu-user are missing: nothing is tested for other processors"; }; \
	$(PYTHON) tools/run_ctest.py $(test_jobs) 'asan:^(test|fuzz)_' \
	    $${foreign:+$(FOREIGN:%='%:$(foreign_tests)')} release

# What `make test` leaves out: whole files that ask for much, hundreds of kills of fleet ingests, a
# measured machine, a target of another processor; the command line of other processors; fuzz targets
# as libFuzzer builds them; and what no test of the other builds runs. LONG are those tests of the
# release build that differ.
LONG := ^(cli_test_(bombs|build_engine|faults_everywhere|json_beside_python|builds_agree|man|target_arm64|windows)|web_files|python_(fleet_(calls|faults|interrupts|outliers|spark)|wheel)|differential_(flatbuffers|random_dumps)$$|macos$$)
.PHONY: test-long
test-long: setup build ## run what make test samples as a whole, and build all for every preset
	@$(call compile,asan,-DEXECUTORCH_ROOT=)
	@if echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d == 0 && n > 0; }' | \
	    clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then \
	    $(call compile,fuzz,-DEXECUTORCH_ROOT=); \
	else \
	    echo "clang's libFuzzer is missing: its fuzz targets are not built"; \
	fi
	@if tools/packages.sh build/flatbuffers-setup.log libflatbuffers-dev; then \
	    $(call compile,release,$(with_engine),verify_flatbuffers read_dumps); \
	else \
	    echo "FlatBuffers' headers are missing: its verifier and reader are not compared with etscope's"; \
	fi
	@if { $(can_run_foreign); } >/dev/null; then \
	    $(MAKE) build-foreign foreign_programs=all; \
	else \
	    echo "cross compilers or qemu-user are missing: nothing is built for other processors"; \
	fi
	@tools/packages.sh build/java-setup.log default-jre-headless && \
	    build/python-venv/bin/python -m pip install --quiet --disable-pip-version-check \
	    --requirement python/tests/spark.txt >>build/java-setup.log 2>&1 || \
	    echo "Java or pyspark is missing: fleets are not tested with Spark"
	@if tools/packages.sh build/wine-setup.log wine64; then \
	    $(MAKE) windows; \
	else \
	    echo "Wine is missing: nothing is tested for Windows"; \
	fi
	@if tools/packages.sh build/wasm-setup.log clang lld llvm wasi-libc libc++-dev-wasm32 libclang-rt-dev-wasm32; then \
	    tools/packages.sh build/firefox-setup.log firefox-esr || echo "Firefox is missing: the page is tested in Chromium alone"; \
	    $(MAKE) page; \
	else \
	    echo "a compiler for WebAssembly is missing: the page that reads files is not tested"; \
	fi
	@if tools/quiet.sh "fetching what compiles for macOS" build/macos.log tools/macos_setup.sh; then \
	    $(MAKE) macos; \
	else \
	    echo "ziglang cannot be had: nothing is compiled for macOS"; \
	fi
	@arm64=; if test "$$(uname -m)" = x86_64 && $(has_engine) && command -v qemu-aarch64 >/dev/null; then \
	    $(MAKE) bundle TARGET=aarch64 && \
	    $(call compile,aarch64,-DBUILD_TESTING=ON,test_programs) && arm64=1 || exit; \
	else \
	    echo "an engine or qemu-user is missing: nothing is tested for 64-bit Arm"; \
	fi; \
	foreign=; if { $(can_run_foreign); } >/dev/null; then foreign=1; fi; \
	ETSCOPE_LONG=1 $(PYTHON) tools/run_ctest.py $(test_jobs) $${foreign:+$(FOREIGN:%='%:$(foreign_commands)')} \
	    $${arm64:+'aarch64:$(foreign_tests)'} 'release:$(LONG)'
	@$(MAKE) release

.PHONY: footprint
footprint: ## print what the tracer takes on small processors: code, memory, stack (clang, lld)
	@$(PYTHON) tests/bare_metal/footprint.py --out build/bare_metal

# On processors of other word size and byte order; the engine is for this one alone.
FOREIGN := i386 s390x
foreign_tests = ^(test|fuzz)_
foreign_commands = ^(cli_test_|differential_)
foreign_programs = test_programs
can_run_foreign = command -v qemu-i386 && command -v qemu-s390x && \
    command -v i686-linux-gnu-g++ && command -v s390x-linux-gnu-g++

.PHONY: build-foreign
build-foreign:
	@$(foreach processor,$(FOREIGN),tools/foreign_root.sh $(processor) build/foreign/$(processor) && \
	    $(call compile,$(processor),-DEXECUTORCH_ROOT=,$(foreign_programs)) && ) true

.PHONY: foreign
foreign: build-foreign ## run the unit tests on 32-bit x86 and on big-endian s390x (cross compilers, qemu-user)
	@$(PYTHON) tools/run_ctest.py $(test_jobs) $(FOREIGN:%='%:$(foreign_tests)')

# Programs and libraries that nobody here can run.
.PHONY: macos
macos: ## compile all for macOS on arm64 and x86_64 with Zig's compiler and headers (ziglang, 100 MB from PyPI)
	@tools/quiet.sh "fetching what compiles for macOS" build/macos.log tools/macos_setup.sh
	@$(call compile,macos-arm64,-DEXECUTORCH_ROOT="$(CURDIR)/build/macos/runtime/executorch",)
	@$(call compile,macos-x86_64,-DEXECUTORCH_ROOT="$(CURDIR)/build/macos/runtime-x86_64",)

.PHONY: tsan
tsan: ## run the unit tests under ThreadSanitizer
	@$(call compile,tsan,-DEXECUTORCH_ROOT=,test_programs)
	@ctest --preset tsan --parallel $(JOBS) --tests-regex '^test_'

.PHONY: bench
bench: bench-tracer bench-comparators ## measure tracer, comparators, verdicts, reading 1,000 runs
	@if $(has_engine); then \
	    $(MAKE) bench-verify; \
	else \
	    echo "what verdicts add to a run is left out: the engine is missing (make engine)"; \
	fi
	@$(PYTHON) tools/bench.py $(ETSCOPE)

.PHONY: bench-roofs
bench-roofs: build ## measure this machine twice, and hold all programs against it (needs the engine)
	@$(PYTHON) tools/bench_roofs.py $(ETSCOPE)

.PHONY: bench-noise
bench-noise: build ## measure how often diff reports a change where there is none (needs the engine)
	@$(PYTHON) tools/bench_noise.py $(ETSCOPE)

.PHONY: bench-fleet
bench-fleet: ## measure ingest of and questions to 1,000 large traces (7 GB in FOLDER; after make test)
	@build/python-venv/bin/python tools/bench_fleet.py $(FOLDER:%=--folder %)

# FOLDER: where a record of 1 GB has room; MODELS: further language models to measure.
.PHONY: bench-llm
bench-llm: build ## measure generate, large records and programs beside what they should cost (needs the engine)
	@$(has_engine) || { echo "generations need the engine: make engine" >&2; exit 1; }
	@$(call compile,release,$(with_engine),bench_generation)
	@$(PYTHON) tools/bench_llm.py $(ETSCOPE) $(FOLDER:%=--folder %) $(MODELS)

.PHONY: bench-tracer
bench-tracer: build ## measure what recording an event costs, beside ExecuTorch's tracer
	@$(call compile,release,$(with_engine),bench_tracer)
	@build/bin/bench_tracer
	@! test -x build/bin/bench_tracer_runtime || \
	    build/bin/bench_tracer_runtime tests/data/mlp_portable/model.pte 2>/dev/null

.PHONY: bench-comparators
bench-comparators: build ## measure what comparing tensors costs, beside memcpy
	@$(call compile,release,$(with_engine),bench_comparators)
	@build/bin/bench_comparators

.PHONY: bench-verify
bench-verify: build ## measure what checking a run's outputs adds to the run (needs the engine)
	@$(call compile,release,$(with_engine),bench_verify)
	@build/bin/bench_verify $(foreach model,mlp_portable mlp_xnnpack conv_portable conv_xnnpack \
	    gpt_portable gpt_xnnpack,tests/data/$(model)/model.bpte)

.PHONY: fuzz
fuzz: ## fuzz every reader for FUZZ_SECONDS (clang)
	@$(call compile,fuzz,-DEXECUTORCH_ROOT=)
	@$(PYTHON) tools/fuzz.py build-fuzz --seconds $(FUZZ_SECONDS)

# Corpora stay in FUZZ_CORPUS; what reaches code that fuzz/corpus does not is added there.
.PHONY: fuzz-night
fuzz-night: ## fuzz all readers for FUZZ_HOURS (2) with JOBS processes, and trace with threads for 10 minutes (clang)
	@$(call compile,fuzz,-DEXECUTORCH_ROOT=)
	@$(PYTHON) tools/fuzz.py build-fuzz --hours $(FUZZ_HOURS) --jobs $(JOBS) --merge $(FUZZ_CORPUS:%=--corpus %)
	@$(call compile,release,$(with_engine),test_threads_sanitized)
	@ETS_TRACING_SECONDS=600 build/bin/test_threads_sanitized >build/threads.log 2>&1 || { cat build/threads.log; exit 1; }

.PHONY: format
format: ## format the sources
	@$(CLANG_FORMAT) -i $(SOURCES)
	@if test -d web/node_modules; then npm --prefix web run --silent format; fi

.PHONY: check
check: build ## check layers, exported symbols, size of data, formatting; the build has warnings as errors
	@$(PYTHON) tools/check_layers.py --build build
	@$(PYTHON) tools/check_data_size.py
	@if command -v $(CLANG_FORMAT) >/dev/null; then \
	    $(CLANG_FORMAT) --dry-run --Werror $(SOURCES); \
	else \
	    echo "formatting not checked: $(CLANG_FORMAT) is missing"; \
	fi

# What etscope puts into its reports is checked in, so that a build needs no node.
.PHONY: web
web: ## check and bundle the page of reports (node 18, npm)
	@cmp -s web/package-lock.json web/node_modules/.installed || tools/quiet.sh \
	    "installing the packages of web/" build/web-setup.log sh -c 'cd web && \
	    npm ci --ignore-scripts --no-audit --no-fund && cp package-lock.json node_modules/.installed'
	@cd web && npm run --silent check && npm run --silent build

.PHONY: pictures
pictures: web build ## make the pictures of docs/report.md (chromium, pngquant)
	@ETSCOPE="$(ETSCOPE)" $(PYTHON) tests/web/run_web.py pictures build/tests/web

# Whole files or none: a command that fails leaves the old page.
.PHONY: docs
docs: build ## write man pages, completions, docs/commands.md and lists of columns from the command line itself
	@mkdir -p docs/man docs/completions
	@set -e; \
	write() { "$(ETSCOPE)" help $$2 >"$$1.new" || { rm "$$1.new"; exit 1; }; mv "$$1.new" "$$1"; }; \
	write docs/man/etscope.1 --man; \
	for command in $$("$(ETSCOPE)" help --format csv | sed '1d; s/,.*//'); do \
	    write docs/man/etscope-$$command.1 "--man $$command"; \
	done; \
	write docs/completions/etscope.bash "--completion bash"; \
	write docs/completions/_etscope "--completion zsh"; \
	write docs/completions/etscope.fish "--completion fish"; \
	{ sed '/^|/,$$d' docs/commands.md; "$(ETSCOPE)" help --format markdown | \
	    sed -E '1!s/^\| ([a-z]+) \|/| `\1` |/; s/ ([a-z]+)\.md(#[a-z-]+)? \|$$/ [\1](\1.md\2) |/'; } \
	    >docs/commands.md.new; mv docs/commands.md.new docs/commands.md
	@python3 tools/make_schema_docs.py "$(ETSCOPE)"

.PHONY: install
install: build ## install to PREFIX (/usr/local), below DESTDIR
	@cmake --install build --prefix "$(abspath $(PREFIX))"

.PHONY: uninstall
uninstall: ## remove what `make install` installed last
	@test -e build/install_manifest.txt || { echo "nothing was installed from here" >&2; exit 1; }
	@while read -r file || test -n "$$file"; do rm -fv "$(DESTDIR)$$file"; \
	done <build/install_manifest.txt

.PHONY: clean
clean: ## remove what was built; what was fetched stays
	@rm -rf build-asan build-tsan build-fuzz build-i386 build-s390x build-aarch64 build-macos-arm64 \
	    build-macos-x86_64 build-windows build-wasm
	@if test -d build; then \
	    find build -mindepth 1 -maxdepth 1 ! -name runtime ! -name runtime.root \
	        ! -name python-venv ! -name foreign ! -name macos ! -name release -exec rm -rf {} +; \
	    find build/release -mindepth 1 -maxdepth 1 ! -name venv ! -name zlib -exec rm -rf {} + 2>/dev/null; \
	    true; \
	fi

.PHONY: distclean
distclean: clean ## remove what was fetched, too
	@rm -rf build web/node_modules
