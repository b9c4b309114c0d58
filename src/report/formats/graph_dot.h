// SPDX-License-Identifier: Apache-2.0
// The scheduling graph as a drawing for Graphviz: `dot -Tsvg out.dot`.
#pragma once

#include <span>
#include <string>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/exploration.h"

namespace jostle::report {

// Nodes show how many schedules are known to be left below them, edges who ran and what it did.
std::string graph_dot(std::span<const channel::GraphNode> graph, Symbolizer& symbols);

}  // namespace jostle::report
