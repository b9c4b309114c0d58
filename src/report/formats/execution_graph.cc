// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/execution_graph.h"

#include <fmt/format.h>

#include "src/report/model/failure_kinds.h"
#include "src/report/model/names/names.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

ExecutionStep execution_step(uint32_t thread, OpKind kind, uintptr_t pc, Symbolizer& symbols) {
  return {thread == 0 ? "main" : fmt::format("T{}", thread), std::string(op_name(kind)),
          pc == 0 ? "" : source(symbols.line_that_matters(pc))};
}

std::string step_text(const ExecutionStep& step) {
  const std::string where = step.place.empty() ? "" : " " + step.place;
  return fmt::format("{} {}{}", step.thread, step.operation, where);
}

std::string race_text(const ExecutionNode& node) {
  if (!node.then) return {};
  if (!node.now) return "another choice of " + step_text(*node.then);
  return fmt::format("{} before {}", step_text(*node.now), step_text(*node.then));
}

std::string quoted_for_dot(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string attributes(const ExecutionNode& node) {
  if (node.fails) {
    return fmt::format("label={}, shape=box, style=filled, fillcolor=\"#f4b6b6\"",
                       quoted_for_dot(fmt::format("{} {}", node.number, node.end)));
  }
  return fmt::format("label=\"{}\"{}", node.number,
                     node.is_blocked ? ", style=dashed, color=gray" : "");
}

Json step_json(const std::optional<ExecutionStep>& step) {
  if (!step) return {};
  return {{"thread", step->thread}, {"operation", step->operation}, {"place", escape(step->place)}};
}

}  // namespace

ExecutionGraph execution_graph(std::span<const channel::GraphNode> nodes, uint64_t left_out,
                               const IsFailure& is_failure, Symbolizer& symbols) {
  ExecutionGraph graph;
  graph.left_out = left_out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const channel::GraphNode& from = nodes[i];
    ExecutionNode node;
    node.number = i + 1;
    const bool has_parent = from.parent < i;  // what is read was written by the target
    if (has_parent) {
      node.parent = from.parent + 1;
      node.then = execution_step(from.other_thread, from.other_kind, from.other_pc, symbols);
      if (from.kind != OpKind::none) {
        node.now = execution_step(from.thread, from.kind, from.pc, symbols);
      }
    }
    node.end = std::string(kind(from.outcome));
    node.is_blocked = from.state == channel::GraphState::blocked;
    node.fails = !node.is_blocked && is_failure(from.outcome, static_cast<int>(from.value));
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

ExecutionGraph thinned(const ExecutionGraph& graph, size_t most) {
  const size_t count = graph.nodes.size();
  if (count <= most) return graph;
  std::vector<bool> taken(count, false);
  size_t left = most;
  const auto take_with_parents = [&](size_t i) {
    std::vector<size_t> path;
    for (size_t at = i; !taken[at]; at = graph.nodes[at].parent - 1) {
      path.push_back(at);
      if (graph.nodes[at].parent == 0) break;
    }
    if (path.size() > left) return;
    for (const size_t at : path) taken[at] = true;
    left -= path.size();
  };
  for (size_t i = 0; i < count && left > 0; ++i) {
    if (graph.nodes[i].fails) take_with_parents(i);
  }
  for (size_t i = 0; i < count && left > 0; ++i) take_with_parents(i);
  ExecutionGraph thin;
  for (size_t i = 0; i < count; ++i) {
    if (taken[i]) thin.nodes.push_back(graph.nodes[i]);
  }
  thin.left_out = graph.left_out + count - thin.nodes.size();
  return thin;
}

std::string left_out_text(const ExecutionGraph& graph) {
  if (graph.left_out == 0) return {};
  return fmt::format(
      "{} not drawn: those that fail, as far as there is room, and the first ones are",
      graph.left_out == 1 ? "1 more execution is"
                          : thousands(graph.left_out) + " more executions are");
}

std::string execution_dot(const ExecutionGraph& graph) {
  std::string text =
      "// Nodes: executions, in the order in which they were run. Edges: the race whose reversal\n"
      "// leads from one to the next. Boxes fail; dashed ones end in a loop that waits.\n"
      "digraph executions {\n"
      "  node [shape=circle, fontsize=10];\n"
      "  edge [fontsize=9];\n";
  if (const std::string note = left_out_text(graph); !note.empty()) {
    text += fmt::format("  label={};\n", quoted_for_dot(note));
  }
  for (const ExecutionNode& node : graph.nodes) {
    text += fmt::format("  n{} [{}];\n", node.number, attributes(node));
    if (node.parent == 0) continue;
    text += fmt::format("  n{} -> n{} [label={}];\n", node.parent, node.number,
                        quoted_for_dot(escape(race_text(node))));
  }
  return text + "}\n";
}

Json execution_json(const ExecutionGraph& graph) {
  Json json;
  json["format"] = "jostle-executions";
  json["version"] = 1;
  json["left_out"] = graph.left_out;
  json["note"] = left_out_text(graph);
  Json& list = json["executions"] = Json::array();
  for (const ExecutionNode& node : graph.nodes) {
    list.push_back({{"number", node.number},
                    {"parent", node.parent == 0 ? Json() : Json(node.parent)},
                    {"first", step_json(node.now)},
                    {"before", step_json(node.then)},
                    {"end", node.end},
                    {"fails", node.fails},
                    {"blocked", node.is_blocked}});
  }
  return json;
}

}  // namespace jostle::report
