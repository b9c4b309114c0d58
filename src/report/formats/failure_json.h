// SPDX-License-Identifier: Apache-2.0
// The model of a failing run as JSON: report.json, `--format json`, and what report.html draws.
// The members are described in docs/reports.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "src/report/model/trace_model.h"

namespace jostle::report {

using Json = nlohmann::ordered_json;

Json failure_json(const TraceModel& model);

// On one line per element of long lists, so that the file can be read and compared; ends in a
// newline. What is no UTF-8 after all becomes U+FFFD.
std::string json_text(const Json& json);

std::string_view name(StretchEnd end);

// A signature as all files write it: 16 hexadecimal digits.
std::string signature_text(uint64_t signature);

}  // namespace jostle::report
