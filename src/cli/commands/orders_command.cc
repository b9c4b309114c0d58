// SPDX-License-Identifier: Apache-2.0
// `jostle orders`: which memory orders may be weaker?
#include <fmt/format.h>

#include "src/cli/commands/commands.h"
#include "src/cli/options/checks.h"
#include "src/cli/options/command_line.h"
#include "src/cli/orders/orders_result.h"
#include "src/cli/runs/many_runs.h"
#include "src/cli/support/values.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kOrdersExamples[] =
    "  jostle orders ./queue_test                   a table\n"
    "  jostle orders -t 30s -- ./server_test --quick    search longer for each order\n"
    "  jostle orders --sarif ./queue_test > orders.sarif    with edits of the source\n"
    "What is tried and what that means: docs/orders.md";

constexpr uint64_t kTimeForEachOrder = 5'000'000'000;

struct OrdersOptions {
  channel::Config config = default_config(channel::Mode::fuzz);
  uint64_t time = kTimeForEachOrder;
  bool json = false, sarif = false;
  std::vector<std::string> program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, OrdersOptions& options) {
  channel::Config& config = options.config;
  config.max_steps = kDefaultSteps;
  config.run_nanoseconds = kDefaultRunNanoseconds;
  config.record = 0;
  config.seed = 1;
  CommandLine line(
      "jostle orders", "[options] [--] program [arguments]",
      "Tries weaker memory orders for the program's atomic operations, and lists those "
      "with which it is still right.",
      kOrdersExamples);
  line.time_limit("-t,--time",
                  "how long the program is searched with each weaker order (default 5s); less when "
                  "all executions were run before",
                  options.time);
  line.value("--seed", "N", "which schedules are searched (default 1)",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto seed = parse_number(text);
               if (!seed) return "expected a whole number";
               config.seed = *seed;
               return std::nullopt;
             });
  line.flag("--json", "the same as JSON", options.json);
  line.flag("--sarif", "those that may be weaker as SARIF, with edits of the source",
            options.sarif);
  line.run_options(config);
  line.value(
      "--check", "LIST",
      "what else is wrong, besides the program's own failures: race, heap, leak, all or none; "
      "-NAME: not this (default race,heap)",
      [&](const std::string& text) {
        return read_checks(text, channel::kDefaultChecks, config.checks);
      });
  if (const auto done = line.parse(words)) return done;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle orders [options] -- program [arguments]"});
  }
  if (options.json && options.sarif) {
    return fail({Exit::usage, "--json and --sarif are two documents: choose one"});
  }
  options.program = line.rest();
  return std::nullopt;
}

class OrdersSearch {
 public:
  OrdersSearch(const OrdersOptions& options, const ManyRuns& ready)
      : ready_(ready),
        trials_(ready, options.program, options.config,
                std::chrono::nanoseconds(static_cast<int64_t>(options.time))) {}

  Result<OrdersResult> run() {
    const auto begin = std::chrono::steady_clock::now();
    Result<OrderTrial> first = trials_.as_it_is();
    if (!first) return first.error();
    if (!first->is_right) {
      return Error{Exit::found, fmt::format("{} fails as it is: {}; see `jostle fuzz "
                                            "--memory=c11 --fail-on race`",
                                            ready_.target.name, report::escape(first->why))};
    }
    OrdersResult result;
    result.program = ready_.target.given;
    result.trial = std::move(*first);
    std::vector<Ordered> operations;
    for (const OrderPlace& place : trials_.places()) operations.push_back(place.operation);
    announce(operations.size(), result.trial);
    result.weakest = find_weakest(
        operations, [&](const auto& all) { return judge(all, result); }, result.finished);
    if (error_) return *error_;
    result.places = trials_.places();
    result.left_out = trials_.left_out();
    result.elapsed = std::chrono::steady_clock::now() - begin;
    return result;
  }

 private:
  void announce(size_t count, const OrderTrial& trial) const {
    note(fmt::format("{} · {} with an order that could be weaker · {}", ready_.target.name,
                     report::count(count, "operation"),
                     trial.all
                         ? fmt::format("{} as it is", report::count(trial.executions, "execution"))
                         : "too many executions to run all: searched"));
  }

  Judgement judge(const std::vector<Orders>& all, OrdersResult& result) {
    ++result.trials;
    Result<OrderTrial> trial = trials_.with(all);
    if (!trial) {
      error_ = trial.error();
      return {.is_over = true};
    }
    if (!trial->is_right) return {.why = report::escape(trial->why)};
    result.trial = std::move(*trial);
    return {.is_right = true};
  }

  const ManyRuns& ready_;
  OrderTrials trials_;
  MaybeError error_;
};

}  // namespace

int orders_command(const std::vector<std::string>& words) {
  OrdersOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<ManyRuns> ready = prepare_many_runs(options.program[0]);
  if (!ready) return fail(ready.error());
  if (!ready->target.instrumented) {
    return fail({Exit::unsupported,
                 fmt::format("{} was not built with `jostle c++`: its atomic operations are not "
                             "seen",
                             ready->target.given)});
  }
  const Result<OrdersResult> result = OrdersSearch(options, *ready).run();
  if (!result) return fail(result.error());
  fmt::print("{}", options.sarif  ? orders_sarif(*result)
                   : options.json ? orders_json(*result)
                                  : orders_table(*result, report::kColumns));
  std::fflush(stdout);
  return static_cast<int>(Exit::ok);
}

}  // namespace jostle::cli
