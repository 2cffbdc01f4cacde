# 64-bit ARM: Debian's cross gcc, its programs run by qemu-user. Libraries for
# the target (cmocka, popt) are found when Debian's packages of that architecture
# are installed; what needs a missing one is left out.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)

# The C library comes with those packages, or else with the compiler.
find_program(GGK_QEMU NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${GGK_QEMU})
if(NOT EXISTS /lib/aarch64-linux-gnu/libc.so.6)
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L /usr/aarch64-linux-gnu)
endif()
