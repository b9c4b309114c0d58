// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0: failures for code scanning services and editors.
//
// A result's code flow has one thread flow per thread of the run; `executionOrder` says how they
// interleave. Long runs are cut to what services accept: see kMostFlowSteps in the source.
#pragma once

#include <string>
#include <string_view>

#include "src/report/formats/run_result.h"

namespace jostle::report {

std::string sarif_text(const RunResult& result);

// The path as a URI: percent-encoded, file:// in front of an absolute one.
std::string path_uri(std::string_view path);

}  // namespace jostle::report
