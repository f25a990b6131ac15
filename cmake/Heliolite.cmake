# Compiler flags common to every target, and the one way a folder becomes a library.

add_library(heliolite_flags INTERFACE)
# -ffp-contract=off: cycle counts divide doubles; fused operations would make them depend on the machine.
target_compile_options(heliolite_flags INTERFACE -Wall -Wextra -Wpedantic -ffp-contract=off
                       $<$<BOOL:${HELIOLITE_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on "text" + std::string (gcc bug 105651, fixed in 13).
  target_compile_options(heliolite_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Below half a gigabyte the compiler looks for no garbage of its own: a twentieth of its time.
  target_compile_options(heliolite_flags INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(HELIOLITE_SANITIZE)
  set(checks -fsanitize=${HELIOLITE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(HELIOLITE_SANITIZE MATCHES "undefined")
    # Checks before accesses that would fault, or that the address sanitizer sees, take a third of the build.
    list(APPEND checks -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr)
  endif()
  target_compile_options(heliolite_flags INTERFACE
                         "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:HELIOLITE_UNCHECKED>>>:${checks}>")
  target_link_options(heliolite_flags INTERFACE -fsanitize=${HELIOLITE_SANITIZE})
  if(HELIOLITE_SANITIZE MATCHES "address")
    add_library(heliolite_sanitized_loading OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitized_loading.cpp)
    set(loading $<TARGET_OBJECTS:heliolite_sanitized_loading>)
    target_link_libraries(heliolite_flags INTERFACE
                          $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${loading}>)
  endif()
endif()
if(HELIOLITE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HELIOLITE_FUZZ needs clang++, which has libFuzzer")
  endif()
  # What fuzzers look at to know that they have come to new places.
  target_compile_options(heliolite_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# heliolite_library(name DEPENDS target... [PRIVATE target...] [SOURCES file...])
# All .cpp files of the folder and of those in it, as heliolite::name.
function(heliolite_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE;SOURCES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    # An archive needs a member: a folder may hold nothing but headers.
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/${name}_headers_only.cpp)
    file(CONFIGURE OUTPUT ${sources} CONTENT "// ${name} has only headers.\n")
  endif()
  add_library(heliolite_${name} STATIC ${sources} ${ARG_SOURCES})
  add_library(heliolite::${name} ALIAS heliolite_${name})
  # It may become part of a shared library, such as the Python module. Position-independent code is as fast as other code
  # if nobody may replace its functions when a program is loaded.
  set_target_properties(heliolite_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_options(heliolite_${name} PRIVATE -fno-semantic-interposition)
  heliolite_include_root(heliolite_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_features(heliolite_${name} PUBLIC cxx_std_20)
  target_link_libraries(heliolite_${name} PUBLIC ${ARG_DEPENDS}
                        PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:heliolite_flags>)
  set_property(GLOBAL APPEND PROPERTY HELIOLITE_LIBRARIES heliolite_${name})
endfunction()

# heliolite_include_root(target PUBLIC|INTERFACE folder): where includes begin in the build tree; an installed package has
# one root for all (cmake/Install.cmake).
function(heliolite_include_root target scope folder)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${folder}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# heliolite_cold(target...): readers, printers and tests, where -O3 costs half of the first build and gains nothing, and
# -O1 a sixth more than -Og. Full of a sanitizer's checks even -O1 costs three fifths of it.
function(heliolite_cold)
  set(level $<$<CONFIG:Release>:-Og>)
  if(HELIOLITE_SANITIZE)
    set(level $<$<NOT:$<BOOL:$<TARGET_PROPERTY:HELIOLITE_UNCHECKED>>>:-O0>)
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${level})
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
  endforeach()
endfunction()

# heliolite_embed(target function file...): the files' texts in the binary, so that it needs no data directory.
# Generates <function>.cpp with `std::span<const EmbeddedFile> <function>()`.
function(heliolite_embed target function_name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function_name}.cpp)
  set(files ${ARGN})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function_name} "-DFILES=${files}"
            -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  # A data file may be longer than the 64 KiB of a literal that the standard promises; both compilers take more.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(${target} PRIVATE ${output})
endfunction()
