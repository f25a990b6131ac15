# Writes OUTPUT: the chart library that PAGE/package-lock.json pins, with the licences of what it consists of. npm checks
# it against the lock's hashes. Where npm or its registry is missing OUTPUT is empty and the next build tries again;
# the program then says what `report` lacks.
#
# cmake -DPAGE=engine/report/page -DWORK=build/... -DOUTPUT=build/.../charts.js -P cmake/ReportCharts.cmake
set(lock ${PAGE}/package-lock.json)
set(installed_lock ${WORK}/installed.json)

function(is_done result)
  set(${result} FALSE PARENT_SCOPE)
  if(EXISTS ${OUTPUT} AND EXISTS ${installed_lock})
    file(SIZE ${OUTPUT} size)
    file(SHA256 ${lock} wanted)
    file(SHA256 ${installed_lock} got)
    if(size GREATER 0 AND wanted STREQUAL got)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(fetch problem)
  find_program(NPM npm)
  if(NOT NPM)
    set(${problem} "npm is not installed" PARENT_SCOPE)
    return()
  endif()
  file(MAKE_DIRECTORY ${WORK})
  file(COPY ${PAGE}/package.json ${lock} DESTINATION ${WORK})
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
            --fetch-retry-mintimeout=1000 --fetch-timeout=20000
    WORKING_DIRECTORY ${WORK} TIMEOUT 120 RESULT_VARIABLE code OUTPUT_QUIET ERROR_FILE ${WORK}/npm.log)
  if(NOT code STREQUAL "0")
    set(${problem} "npm could not fetch it, see ${WORK}/npm.log" PARENT_SCOPE)
  endif()
endfunction()

# The licences ask to go wherever the code goes. The source map stays behind, and so must the reference to it.
function(write_library)
  file(READ ${WORK}/node_modules/chart.js/LICENSE.md chart_licence)
  file(READ ${WORK}/node_modules/@kurkle/color/LICENSE.md color_licence)
  file(READ ${WORK}/node_modules/chart.js/dist/chart.umd.js code)
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*\n?" "" code "${code}")
  file(WRITE ${OUTPUT} "/*! Chart.js\n${chart_licence}\n@kurkle/color, part of it\n${color_licence}*/\n${code}")
  file(COPY_FILE ${lock} ${installed_lock})
endfunction()

is_done(done)
if(NOT done)
  fetch(problem)
  if(problem)
    message(NOTICE "The report command is built without its chart library: ${problem}")
    if(NOT EXISTS ${OUTPUT})
      file(WRITE ${OUTPUT} "")
    endif()
  else()
    write_library()
  endif()
endif()
