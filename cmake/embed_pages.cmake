# SPDX-License-Identifier: Apache-2.0
# Writes the pages of src/report/html as C++ string literals (declared in src/report/formats/html_pages.h).
# A script for cmake -P, run by the build:  -DFOLDER=… -DOUTPUT=…
function(read_parts result)
  set(text "")
  foreach(name IN LISTS ARGN)
    file(READ "${FOLDER}/${name}" part)
    string(APPEND text "${part}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(code "// Generated from src/report/html.\n#include \"src/report/formats/html_pages.h\"\n\n")
string(APPEND code "namespace jostle::report::pages {\n")
function(add_page name)
  read_parts(text ${ARGN})
  set(code "${code}const std::string_view ${name} = R\"JOSTLE-PAGE(${text})JOSTLE-PAGE\";\n" PARENT_SCOPE)
endfunction()

# The scripts are read in this order; each needs only those before it.
set(report_scripts dom.js theme.js data.js links.js source.js waits.js callbacks.js stores.js painter.js lanes.js print.js report.js)
set(campaign_scripts dom.js theme.js plot.js tree.js campaign.js)
set(executions_scripts dom.js theme.js tree.js executions.js)
add_page(base_css base.css)
add_page(report_html report.html)
add_page(report_css report.css)
add_page(report_js ${report_scripts})
add_page(campaign_html campaign.html)
add_page(campaign_css campaign.css tree.css)
add_page(campaign_js ${campaign_scripts})
add_page(executions_html executions.html)
add_page(executions_js ${executions_scripts})
string(APPEND code "}  // namespace jostle::report::pages\n")
file(WRITE "${OUTPUT}" "${code}")
