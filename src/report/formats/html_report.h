// SPDX-License-Identifier: Apache-2.0
// report.html: one file with everything in it, see html/. And the page of a campaign.
#pragma once

#include <string>
#include <string_view>

#include "src/report/formats/failure_json.h"
#include "src/report/model/trace_model.h"

namespace jostle::report {

std::string html_report(const TraceModel& model);

// The page of `jostle report`; `campaign` is what html/campaign.js reads.
std::string html_campaign(std::string_view title, const Json& campaign);

// The tree of executions alone; `graph` is that of execution_graph.h.
std::string html_executions(std::string_view title, const Json& graph);

}  // namespace jostle::report
