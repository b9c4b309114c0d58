// SPDX-License-Identifier: Apache-2.0
// `jostle stops`: in which functions do threads meet? Candidates for --stop-at.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "src/cli/commands/commands.h"
#include "src/cli/options/command_line.h"
#include "src/cli/options/stop_points/stop_points.h"
#include "src/cli/recording/encoding.h"
#include "src/cli/runs/function_index.h"
#include "src/cli/runs/many_runs.h"
#include "src/cli/runs/meeting_places.h"
#include "src/cli/support/values.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/program_code.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/symbols/function_names.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kStopsExamples[] =
    "  jostle stops ./bank\n"
    "  jostle stops --runs 100 -- ./server --port 0\n"
    "  jostle stops --json ./bank | jq .proposal";

struct StopsOptions {
  channel::Config config = default_config(channel::Mode::run);
  uint64_t runs = 20;
  bool json = false;
  std::vector<std::string> program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, StopsOptions& options) {
  options.config.max_steps = kDefaultSteps;
  options.config.run_nanoseconds = kDefaultRunNanoseconds;
  CommandLine line("jostle stops", "[options] [--] program [arguments]",
                   "Runs the program under some schedules and lists the functions in which threads "
                   "meet: candidates for `jostle fuzz --stop-at`.",
                   kStopsExamples);
  line.number("-n,--runs", "how many schedules (default 20)", options.runs);
  line.schedule_options(options.config);
  line.flag("--json", "the same as JSON", options.json);
  if (const auto done = line.parse(words)) return done;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle stops [options] -- program [arguments]"});
  }
  if (options.runs == 0) return fail({Exit::usage, "--runs 0: expected at least one"});
  options.program = line.rest();
  return std::nullopt;
}

struct Row {
  std::string function;
  MeetingPlace place;
  bool library;
};

class Stops {
 public:
  Stops(StopsOptions options, ManyRuns ready)
      : options_(std::move(options)),
        ready_(std::move(ready)),
        null_(open("/dev/null", O_RDWR | O_CLOEXEC)),
        meetings_(!ready_.target.instrumented) {}

  int run();

 private:
  MaybeError read_program();
  MaybeError once(uint64_t seed);
  std::vector<Row> rows() const;
  std::vector<std::string> proposal(const std::vector<Row>& rows) const;
  std::string command(const std::vector<std::string>& functions) const;
  void print(const std::vector<Row>& rows) const;
  void print_json(const std::vector<Row>& rows) const;

  StopsOptions options_;
  ManyRuns ready_;
  Descriptor null_;
  std::vector<ModuleCode> modules_;
  std::optional<FunctionIndex> index_;
  std::vector<channel::StopRange> library_;
  Meetings meetings_;
  uint64_t failed_ = 0;
  bool truncated_ = false;
};

MaybeError Stops::read_program() {
  Result<std::vector<ModuleCode>> modules =
      probe_program({ready_.target.path, options_.program}, ready_.installation);
  if (!modules) return modules.error();
  modules_ = std::move(*modules);
  // Without instrumentation only calls are seen, but of the program, too.
  if (!ready_.target.instrumented && !modules_.empty()) {
    modules_[0].functions = report::functions_of(modules_[0].path);
  }
  index_.emplace(modules_);
  library_ = library_ranges(modules_);
  return std::nullopt;
}

MaybeError Stops::once(uint64_t seed) {
  const Descriptor input = reopen(ready_.input.file.get());
  LaunchPlan plan{ready_.target.path, options_.program};
  plan.in = input.get();
  plan.out = plan.err = null_.get();
  plan.own_group = true;
  plan.stops = library_;  // so that the trace has the callers of library code
  channel::Config config = options_.config;
  config.seed = seed;
  Result<Execution> run = execute(plan, config, nullptr, ready_.installation);
  if (!run) return run.error();
  if (run->interrupted) return Error{Exit::interrupted, "interrupted"};
  const channel::RunRecord& record = run->record();
  if (record.end.outcome == channel::Outcome::unsupported) {
    return Error{Exit::unsupported, report::summary(record.end)};
  }
  if (report::is_failure(record.end, false)) ++failed_;
  truncated_ = truncated_ || record.trace_truncated != 0;
  const report::Symbolizer symbols(report::modules(*run->channel));
  std::unordered_map<uintptr_t, std::string> names;
  meetings_.add(record, [&](uintptr_t pc) -> const std::string& {
    auto [entry, is_new] = names.try_emplace(pc);
    if (is_new) {
      // It is a return address: the call itself may be the last instruction of the function.
      const report::Function* function = index_->find(symbols.location_of(pc - 1));
      // Instances of a template are one: that is shorter, and as a pattern it means all of them.
      if (function != nullptr) entry->second = report::plain_name(function->name);
    }
    return entry->second;
  });
  return std::nullopt;
}

std::vector<Row> Stops::rows() const {
  std::vector<Row> rows;
  for (const auto& [function, place] : meetings_.places()) {
    rows.push_back({function, place, report::is_library_name(function)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.place.meetings != b.place.meetings ? a.place.meetings > b.place.meetings
                                                : a.place.accesses > b.place.accesses;
  });
  return rows;
}

// All functions of the user's that threads meet in; the library's only when there are no others.
std::vector<std::string> Stops::proposal(const std::vector<Row>& rows) const {
  if (!ready_.target.instrumented) return {};
  for (const bool library : {false, true}) {
    std::vector<std::string> functions;
    for (const Row& row : rows) {
      if (row.place.meetings != 0 && row.library == library) functions.push_back(row.function);
    }
    if (!functions.empty()) return functions;
  }
  return {};
}

std::string Stops::command(const std::vector<std::string>& functions) const {
  std::string text = "jostle fuzz";
  for (const std::string& function : functions) text += " --stop-at " + shell_quote(function);
  const bool needs_separator = options_.program[0].starts_with('-');
  if (needs_separator) text += " --";
  for (const std::string& word : options_.program) text += " " + shell_quote(word);
  return text;
}

void Stops::print(const std::vector<Row>& rows) const {
  // They are sorted: the first has most.
  if (rows.empty() || rows[0].place.meetings == 0) {
    fmt::print("threads do not meet anywhere in {}\n", report::count(options_.runs, "run"));
    return;
  }
  fmt::print("{:>10} {:>10} {:>8}  function\n", "meetings", "accesses", "threads");
  for (const Row& row : rows) {
    if (row.place.meetings == 0) break;
    fmt::print("{:>10} {:>10} {:>8}  {}\n", report::thousands(row.place.meetings),
               report::thousands(row.place.accesses), row.place.threads.size(),
               report::escape(row.function));
  }
  const std::vector<std::string> functions = proposal(rows);
  if (!functions.empty()) fmt::print("\n{}\n", report::escape(command(functions)));
}

void Stops::print_json(const std::vector<Row>& rows) const {
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back({{"function", encode_bytes(row.function)},
                    {"meetings", row.place.meetings},
                    {"accesses", row.place.accesses},
                    {"threads", row.place.threads.size()},
                    {"library", row.library}});
  }
  Json patterns = Json::array();
  const std::vector<std::string> functions = proposal(rows);
  for (const std::string& function : functions) patterns.push_back(encode_bytes(function));
  const Json json = {{"format", "jostle-stops"},
                     {"version", 1},
                     {"program", encode_bytes(ready_.target.given)},
                     {"instrumented", ready_.target.instrumented},
                     {"runs", options_.runs},
                     {"failed", failed_},
                     {"functions", list},
                     {"proposal", patterns},
                     {"command", functions.empty() ? Json("") : encode_bytes(command(functions))}};
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

int Stops::run() {
  if (const MaybeError error = read_program()) return fail(*error);
  for (uint64_t i = 0; i < options_.runs; ++i) {
    if (const MaybeError error = once(options_.config.seed + i)) return fail(*error);
  }
  const std::vector<Row> all = rows();
  options_.json ? print_json(all) : print(all);
  std::fflush(stdout);
  if (failed_ != 0) {
    note(fmt::format("{} of {} failed: `jostle fuzz` shows how", report::thousands(failed_),
                     report::count(options_.runs, "run")));
  }
  if (truncated_) note("the runs are very long: only their beginnings were looked at");
  return static_cast<int>(Exit::ok);
}

}  // namespace

int stops_command(const std::vector<std::string>& words) {
  StopsOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<ManyRuns> ready = prepare_many_runs(options.program[0]);
  if (!ready) return fail(ready.error());
  if (!ready->target.instrumented) {
    note(
        fmt::format("{} was not built with `jostle c++`: only synchronisation calls are seen, and "
                    "there is nothing to propose",
                    ready->target.given));
  }
  return Stops(std::move(options), std::move(*ready)).run();
}

}  // namespace jostle::cli
