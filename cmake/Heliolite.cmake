# Compiler flags common to every target, and the one way a folder becomes a library.

add_library(heliolite_flags INTERFACE)
# -ffp-contract=off: cycle counts divide doubles; fused operations would make them depend on the machine.
target_compile_options(heliolite_flags INTERFACE -Wall -Wextra -Wpedantic -ffp-contract=off
                       $<$<BOOL:${HELIOLITE_WERROR}>:-Werror>)
if(HELIOLITE_SANITIZE)
  target_compile_options(heliolite_flags INTERFACE -fsanitize=${HELIOLITE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(heliolite_flags INTERFACE -fsanitize=${HELIOLITE_SANITIZE})
endif()

# heliolite_library(name DEPENDS target... [PRIVATE target...]): all .cpp files of the folder, as heliolite::name.
function(heliolite_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(heliolite_${name} STATIC ${sources} ${ARG_SOURCES})
  add_library(heliolite::${name} ALIAS heliolite_${name})
  target_include_directories(heliolite_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:include/heliolite>)
  target_compile_features(heliolite_${name} PUBLIC cxx_std_20)
  target_link_libraries(heliolite_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:heliolite_flags>)
endfunction()

# heliolite_embed(target namespace file...): the files' texts as `inline` string views, so that the binary
# needs no data directory. Generates <namespace>.cpp with `std::span<const EmbeddedFile> <namespace>()`.
function(heliolite_embed target function_name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function_name}.cpp)
  set(files ${ARGN})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function_name} "-DFILES=${files}"
            -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
