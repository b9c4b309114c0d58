// SPDX-License-Identifier: Apache-2.0
// JUnit's XML, as CI systems read it: a failure is a failed test case with its report; a campaign
// without failures is one test case that passed. Of tests that had a campaign each (TestResult)
// every one is a test case, named as its framework names it.
#pragma once

#include <string>
#include <string_view>

#include "src/report/formats/run_result.h"

namespace jostle::report {

std::string junit_text(const RunResult& result);

// Text for XML 1.0, in elements and attributes alike: quoted, without what XML cannot hold.
std::string xml_quote(std::string_view text);

}  // namespace jostle::report
