# How everything is compiled: the interface target ggk_build, which every target
# of the tree links privately and which is never installed.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# ggk_accepted(OUT compile|link FLAG...) - the flags the compiler takes. All are
# tried at once, and one by one only if that fails: a probe costs 0.1 s.
function(ggk_accepted out kind)
    set(CMAKE_REQUIRED_FLAGS -Werror)
    set(CMAKE_REQUIRED_QUIET ON)
    list(JOIN ARGN " " together)
    set(accepted "")
    foreach(flag IN LISTS together ARGN)
        string(MAKE_C_IDENTIFIER "GGK_HAS_${kind}_${flag}" known)
        if(kind STREQUAL compile)
            separate_arguments(words UNIX_COMMAND "${flag}")
            check_c_compiler_flag("${words}" ${known})
        else()
            separate_arguments(words UNIX_COMMAND "${flag}")
            check_linker_flag(C "${words}" ${known})
        endif()
        if(${known})
            list(APPEND accepted ${words})
        endif()
        if(${known} AND flag STREQUAL together)
            break()
        endif()
    endforeach()
    set(${out} ${accepted} PARENT_SCOPE)
endfunction()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
# One set of objects serves both libraries, so all code is position independent.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported(LANGUAGES C)

add_library(ggk_build INTERFACE)
target_compile_definitions(ggk_build INTERFACE _POSIX_C_SOURCE=200809L)
# Files over 2 GiB on 32-bit machines. The memory sanitizer, which is for 64-bit
# machines only, does not know the names that this gives to fstat and others.
if(NOT GGK_SANITIZE MATCHES memory)
    target_compile_definitions(ggk_build INTERFACE _FILE_OFFSET_BITS=64)
endif()

# The same sums on every machine: no fused multiply-add behind our back. (What
# -ffast-math allows lib/kern/round.h refuses.)
target_compile_options(ggk_build INTERFACE -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL s390x)
    # Where the standard lets gcc compute floats as doubles: do not.
    ggk_accepted(flags compile -fexcess-precision=fast)
    target_compile_options(ggk_build INTERFACE ${flags})
endif()

# ---------------------------------------------------------------- warnings
set(warnings
    -Wall -Wextra -Wpedantic -Wformat=2 -Wconversion -Wsign-conversion -Wshadow
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wcast-qual
    -Wwrite-strings -Wundef -Wvla -Walloca -Wnull-dereference -Wswitch-enum
    -Wimplicit-fallthrough -Wdouble-promotion -Wfloat-conversion
    -Wpointer-arith -Wunused -Wredundant-decls -Werror=implicit
    -Werror=incompatible-pointer-types -Werror=int-conversion
    -Werror=format-security)
if(CMAKE_C_COMPILER_ID MATCHES Clang)
    list(APPEND warnings
         -Wcast-align -Wshorten-64-to-32 -Wcomma -Wassign-enum
         -Wconditional-uninitialized -Wimplicit-int-conversion -Wthread-safety)
else()
    list(APPEND warnings
         -Wcast-align=strict -Wformat-signedness -Warith-conversion
         -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wtrampolines
         -Wbidi-chars=any)
endif()
ggk_accepted(warnings compile ${warnings})
if(GGK_WERROR)
    list(APPEND warnings -Werror)
endif()
target_compile_options(ggk_build INTERFACE ${warnings})

# --------------------------------------------------------------- hardening
set(harden OFF)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$"
   AND NOT GGK_SANITIZE AND NOT GGK_FUZZ AND NOT GGK_COVERAGE)
    set(harden ON)
endif()
option(GGK_HARDEN "Compile with the defences of the compiler" ${harden})
if(GGK_HARDEN)
    # The flags of the OpenSSF guide for C, and none of our paths in the result.
    set(flags
        -fstack-protector-strong -fstack-clash-protection
        -fno-delete-null-pointer-checks -fno-strict-overflow
        -fno-strict-aliasing -ftrivial-auto-var-init=zero
        -fstrict-flex-arrays=3 -fzero-init-padding-bits=all
        -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
        list(APPEND flags -fcf-protection=full)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        list(APPEND flags -mbranch-protection=standard)
    endif()
    ggk_accepted(flags compile ${flags})
    target_compile_options(ggk_build INTERFACE ${flags} -U_FORTIFY_SOURCE
                                               -D_FORTIFY_SOURCE=3)
    ggk_accepted(flags link -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
                 -Wl,--as-needed)
    target_link_options(ggk_build INTERFACE ${flags})
endif()

# ------------------------------------------------- sanitizers, coverage, fuzz
set(sanitize ${GGK_SANITIZE})
if(GGK_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
        message(FATAL_ERROR "GGK_FUZZ needs clang")
    endif()
    if(NOT sanitize)
        set(sanitize address,undefined)
    endif()
    target_compile_options(ggk_build INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(sanitize)
    set(flags -fsanitize=${sanitize} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    if(sanitize MATCHES memory)
        list(APPEND flags -fsanitize-memory-track-origins)
    endif()
    target_compile_options(ggk_build INTERFACE ${flags})
    target_link_options(ggk_build INTERFACE ${flags})
endif()
if(GGK_COVERAGE)
    # Counted by several threads too, as some tests have.
    target_compile_options(ggk_build INTERFACE --coverage
                                               -fprofile-update=atomic)
    target_link_options(ggk_build INTERFACE --coverage)
endif()
