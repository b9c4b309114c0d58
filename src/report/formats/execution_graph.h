// SPDX-License-Identifier: Apache-2.0
// The executions that an exhaustive search has run, and the race whose reversal leads from one to
// the next: for Graphviz, for machines, and as a page.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/report/formats/failure_json.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/exploration.h"

namespace jostle::report {

struct ExecutionStep {
  std::string thread;     // "T2"
  std::string operation;  // "lock"
  std::string place;      // "bank.cc:45"; empty: not known
};

struct ExecutionNode {
  uint64_t number = 0;  // from 1, in the order in which they were run
  uint64_t parent = 0;  // 0: this is the first
  // How it differs from its parent: `now` comes before `then`. A choice that was made otherwise has
  // no `now`.
  std::optional<ExecutionStep> now = {}, then = {};
  std::string end = {};  // "exit", "assert", …
  bool fails = false;
  bool is_blocked = false;
};

struct ExecutionGraph {
  std::vector<ExecutionNode> nodes = {};  // parents first
  uint64_t left_out = 0;                  // executions that are not among them
};

// Does an execution that ends so fail? By its exit code, if it has one.
using IsFailure = std::function<bool(channel::Outcome outcome, int code)>;

ExecutionGraph execution_graph(std::span<const channel::GraphNode> nodes, uint64_t left_out,
                               const IsFailure& is_failure, Symbolizer& symbols);

// With at most so many nodes: those that fail, those that lead there, and the first ones.
ExecutionGraph thinned(const ExecutionGraph& graph, size_t most);

// "217,243 more executions are not drawn"; empty: all are.
std::string left_out_text(const ExecutionGraph& graph);

std::string execution_dot(const ExecutionGraph& graph);
Json execution_json(const ExecutionGraph& graph);

}  // namespace jostle::report
