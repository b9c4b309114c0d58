// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/graph_dot.h"

#include <fmt/format.h>

#include "src/report/model/failure_kinds.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : escape(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string node_attributes(const channel::GraphNode& node) {
  switch (node.state) {
    case channel::GraphState::end: {
      const std::string_view how = kind(node.outcome);
      const bool fine = node.outcome == channel::Outcome::exited;
      return fmt::format("shape=box, label={}{}", dot_quoted(fine ? "end" : how),
                         fine ? "" : ", style=filled, fillcolor=\"#f4b6b6\"");
    }
    case channel::GraphState::finished:
      return fmt::format("shape=folder, label={}",
                         dot_quoted(count(node.explored, "schedule") + " explored"));
    case channel::GraphState::execution:
    case channel::GraphState::blocked:
    case channel::GraphState::open:
      break;
  }
  return fmt::format("label=\"{}\"{}", node.value, node.value ? "" : ", color=gray");
}

std::string edge_label(const channel::GraphNode& node, Symbolizer& symbols) {
  if (node.kind == OpKind::none) return "choice";
  const std::string who = node.thread == 0 ? "main" : fmt::format("T{}", node.thread);
  std::string what(op_name(node.kind));
  if (node.pc != 0) what += " " + source(symbols.line_that_matters(node.pc));
  return who + ": " + what;
}

}  // namespace

std::string graph_dot(std::span<const channel::GraphNode> graph, Symbolizer& symbols) {
  std::string text =
      "// Nodes: unexplored schedules known below. Edges: who runs, and what it executes.\n"
      "digraph schedules {\n"
      "  node [shape=circle, fontsize=10];\n"
      "  edge [fontsize=9];\n";
  for (size_t i = 0; i < graph.size(); ++i) {
    text += fmt::format("  n{} [{}];\n", i, node_attributes(graph[i]));
    if (graph[i].parent == channel::kNoGraphNode) continue;
    text += fmt::format("  n{} -> n{} [label={}];\n", graph[i].parent, i,
                        dot_quoted(edge_label(graph[i], symbols)));
  }
  return text + "}\n";
}

}  // namespace jostle::report
