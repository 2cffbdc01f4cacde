# Manual pages and completions: made from the program's own tables, so that they
# cannot say anything else than the program does.
set(made "")

# ------------------------------------------------------------- completions
set(folder ${PROJECT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${folder})
foreach(pair bash:gguf zsh:_gguf fish:gguf.fish)
    string(REPLACE : ";" pair ${pair})
    list(GET pair 0 shell)
    list(GET pair 1 name)
    file(MAKE_DIRECTORY ${folder}/${shell})
    add_custom_command(
        OUTPUT ${folder}/${shell}/${name}
        COMMAND gguf help --format=${shell} > ${folder}/${shell}/${name}
        DEPENDS gguf
        COMMENT "Completions for ${shell}"
        VERBATIM)
    list(APPEND made ${folder}/${shell}/${name})
endforeach()

# ------------------------------------------------------------ manual pages
find_program(GGK_SCDOC scdoc)
set(GGK_MAN_PAGES "")
if(GGK_SCDOC)
    set(folder ${PROJECT_BINARY_DIR}/man)
    file(MAKE_DIRECTORY ${folder})
    set(tool ${PROJECT_SOURCE_DIR}/tools/make-man.sh)
    file(GLOB pages CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/docs/man/*.[0-9].scd)
    foreach(page IN LISTS pages)
        get_filename_component(name ${page} NAME_WLE)
        add_custom_command(
            OUTPUT ${folder}/${name}
            COMMAND sh ${tool} ${GGK_SCDOC} ${page} ${folder}/${name}
                    ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:gguf>
            DEPENDS gguf ${page} ${tool}
            COMMENT "Manual page ${name}"
            VERBATIM)
        list(APPEND GGK_MAN_PAGES ${folder}/${name})
    endforeach()
else()
    message(STATUS "no scdoc: the manual pages are not built")
endif()

add_custom_target(ggk_docs ALL DEPENDS ${made} ${GGK_MAN_PAGES})
