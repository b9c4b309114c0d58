// SPDX-License-Identifier: Apache-2.0
#include "src/cli/search/execution_drawings.h"

#include <algorithm>
#include <span>

#include "src/cli/recording/files.h"
#include "src/report/formats/execution_graph.h"
#include "src/report/formats/graph_dot.h"
#include "src/report/formats/html_report.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/record_view.h"

namespace jostle::cli {
namespace {

bool is_exit_ok(const channel::Config& config, const channel::Failure& end) {
  if (end.outcome != channel::Outcome::exited) return false;
  const auto code = static_cast<uint32_t>(end.code) % 256;
  return end.code == 0 || config.any_exit_code_ok ||
         (config.exit_codes_ok[code / 64] >> (code % 64) & 1) != 0;
}

// Drawings are for people: of many executions the first ones, and those that fail.
MaybeError write_executions(const Drawing& drawing, std::span<const channel::GraphNode> nodes,
                            uint64_t left_out, report::Symbolizer& symbols, AtomicFile& file) {
  constexpr size_t kMostDrawn = 1'000;
  const auto is_failure = [&](channel::Outcome outcome, int code) {
    if (outcome == channel::Outcome::stopped) return false;
    channel::Failure end = {};
    end.outcome = outcome;
    end.code = code;
    return report::is_failure(end, true) && !is_exit_ok(drawing.config, end);
  };
  const report::ExecutionGraph all = report::execution_graph(nodes, left_out, is_failure, symbols);
  const report::ExecutionGraph drawn = report::thinned(all, kMostDrawn);
  if (!drawing.kept.empty()) {
    Result<AtomicFile> kept = AtomicFile::open(drawing.kept);
    if (!kept) return kept.error();
    if (MaybeError error = kept->commit(report::json_text(report::execution_json(drawn)))) {
      return error;
    }
  }
  if (drawing.file.ends_with(".json")) {
    return file.commit(report::json_text(report::execution_json(all)));
  }
  if (drawing.file.ends_with(".html")) {
    return file.commit(report::html_executions("jostle: executions of " + drawing.program,
                                               report::execution_json(drawn)));
  }
  return file.commit(report::execution_dot(drawn));
}

}  // namespace

MaybeError draw_executions(const Drawing& drawing, const channel::Channel& channel,
                           bool is_reduced) {
  Result<AtomicFile> file = AtomicFile::open(drawing.file);
  if (!file) return file.error();
  report::Symbolizer symbols(report::modules(channel));
  const uint32_t count = std::min<uint32_t>(channel.status.graph_count, channel::kMaxGraphNodes);
  const std::span<const channel::GraphNode> nodes(channel.graph, count);
  if (!is_reduced) return file->commit(report::graph_dot(nodes, symbols));
  return write_executions(drawing, nodes, channel.status.graph_left_out, symbols, *file);
}

}  // namespace jostle::cli
