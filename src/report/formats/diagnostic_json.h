// SPDX-License-Identifier: Apache-2.0
// Diagnostics in report.json and stats.json, for `jostle report --format gcc`.
#pragma once

#include "src/report/formats/diagnostic.h"
#include "src/report/formats/failure_json.h"

namespace jostle::report {

Json diagnostics_json(const Diagnostics& diagnostics);
// What is out of shape is left out: the file may be older than the list, or edited.
Diagnostics read_diagnostics(const Json& json);

}  // namespace jostle::report
