// SPDX-License-Identifier: Apache-2.0
// Drawings of executions: what is in them, and what is left out of large ones.
#include "src/report/formats/execution_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace jostle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

ExecutionNode execution(uint64_t number, uint64_t parent, bool fails = false) {
  ExecutionNode node;
  node.number = number;
  node.parent = parent;
  node.end = fails ? "assert" : "exit";
  node.fails = fails;
  if (parent != 0) {
    node.now = {"T1", "lock", "bank.cc:16"};
    node.then = {"T2", "lock", "bank.cc:20"};
  }
  return node;
}

TEST(ExecutionGraph, ShowsTheRaceThatLeadsFromOneToTheNext) {
  ExecutionGraph graph;
  graph.nodes = {execution(1, 0), execution(2, 1, true)};
  const std::string dot = execution_dot(graph);
  EXPECT_THAT(dot, HasSubstr("n1 -> n2 [label=\"T1 lock bank.cc:16 before T2 lock bank.cc:20\"]"));
  EXPECT_THAT(dot, HasSubstr("n2 [label=\"2 assert\", shape=box"));
  EXPECT_THAT(dot, Not(HasSubstr("not drawn")));
  const Json json = execution_json(graph);
  EXPECT_EQ(json["executions"][0]["parent"], nullptr);
  EXPECT_EQ(json["executions"][1]["first"]["place"], "bank.cc:16");
  EXPECT_EQ(json["executions"][1]["before"]["thread"], "T2");
  EXPECT_EQ(json["executions"][1]["fails"], true);
}

TEST(ExecutionGraph, AnotherChoiceHasNoRace) {
  ExecutionGraph graph;
  graph.nodes = {execution(1, 0), execution(2, 1)};
  graph.nodes[1].now.reset();
  EXPECT_THAT(execution_dot(graph), HasSubstr("another choice of T2 lock bank.cc:20"));
}

// A chain of a thousand, of which the last fails, and a thousand that hang on the first.
TEST(ExecutionGraph, KeepsWhatFailsAndWhatLeadsThere) {
  ExecutionGraph graph;
  for (uint64_t i = 1; i <= 1000; ++i) graph.nodes.push_back(execution(i, i - 1));
  for (uint64_t i = 1001; i <= 2000; ++i) graph.nodes.push_back(execution(i, 1));
  graph.nodes[100].fails = true;
  const ExecutionGraph thin = thinned(graph, 200);
  EXPECT_EQ(thin.nodes.size(), 200u);
  EXPECT_EQ(thin.left_out, 1800u);
  EXPECT_THAT(left_out_text(thin), HasSubstr("1,800 more executions are not drawn"));
  EXPECT_THAT(execution_dot(thin), HasSubstr("label=\"1,800 more"));
  std::set<uint64_t> numbers = {0};
  bool has_failure = false;
  for (const ExecutionNode& node : thin.nodes) {
    EXPECT_TRUE(numbers.count(node.parent)) << node.number;
    numbers.insert(node.number);
    has_failure |= node.fails;
  }
  EXPECT_TRUE(has_failure);
  EXPECT_EQ(thinned(graph, 5000).nodes.size(), 2000u);
}

// What the target wrote into the channel may be anything.
TEST(ExecutionGraph, StandsNodesThatMakeNoSense) {
  std::vector<channel::GraphNode> nodes(3);
  nodes[0].parent = 2;
  nodes[1].parent = 1;
  nodes[2].parent = UINT32_MAX;
  Symbolizer symbols({});
  const ExecutionGraph graph = execution_graph(
      nodes, 0, [](channel::Outcome, int) { return false; }, symbols);
  ASSERT_EQ(graph.nodes.size(), 3u);
  for (const ExecutionNode& node : graph.nodes) EXPECT_LT(node.parent, node.number);
  EXPECT_EQ(thinned(graph, 1).nodes.size(), 1u);
}

}  // namespace
}  // namespace jostle::report
