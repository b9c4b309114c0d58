// SPDX-License-Identifier: Apache-2.0
// Which folder the names of source files are shown relative to.
#pragma once

#include <string>
#include <string_view>

#include "src/report/model/trace_model.h"

namespace jostle::report {

// The working folder if the program's own sources are below it, else the folder that they have in
// common; with a slash at the end. Empty when there is none but the root.
std::string source_root(const TraceModel& model, std::string_view working_folder);

}  // namespace jostle::report
