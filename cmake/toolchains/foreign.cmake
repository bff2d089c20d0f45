# Builds for another processor with Debian's cross compiler and runs the tests in QEMU's user mode.
# ETS_FOREIGN names the processor; tools/foreign_root.sh fetched its libraries into ETS_FOREIGN_ROOT.
set(ets_triplet_of_i386 i686-linux-gnu)
set(ets_triplet_of_s390x s390x-linux-gnu)
set(ets_triplet_of_aarch64 aarch64-linux-gnu)
set(ets_triplet ${ets_triplet_of_${ETS_FOREIGN}})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ETS_FOREIGN ETS_FOREIGN_ROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ETS_FOREIGN})
set(CMAKE_C_COMPILER ${ets_triplet}-gcc)
set(CMAKE_CXX_COMPILER ${ets_triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${ETS_FOREIGN}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${ETS_FOREIGN_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ETS_FOREIGN_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${ETS_FOREIGN_ROOT}/usr/lib/${ETS_FOREIGN}-linux-gnu/pkgconfig)
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-Wl,-rpath-link,${ETS_FOREIGN_ROOT}/lib/${ETS_FOREIGN}-linux-gnu")
# With all that QEMU 7.2 can be, XNNPACK's int8 convolutions of the aarch64 wheel are wrong.
set(ets_processor_of_aarch64 -cpu;cortex-a76)
# LOCPATH: locales are in the processor's byte order, so that those of this machine may not be read.
set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-${ETS_FOREIGN};${ets_processor_of_${ETS_FOREIGN}};-L;/usr/${ets_triplet};-E;LD_LIBRARY_PATH=/usr/${ets_triplet}/lib:${ETS_FOREIGN_ROOT}/lib/${ETS_FOREIGN}-linux-gnu:${ETS_FOREIGN_ROOT}/usr/lib/${ETS_FOREIGN}-linux-gnu;-E;LOCPATH=${ETS_FOREIGN_ROOT}/usr/lib/locale)
