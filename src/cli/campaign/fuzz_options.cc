// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/fuzz_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "src/cli/findings/stats.h"
#include "src/cli/options/command_line.h"
#include "src/cli/runs/many_runs.h"
#include "src/report/words/text.h"
#include "src/strategy/dpor/neighbour_search.h"
#include "src/strategy/dpor/preemption_search.h"

namespace jostle::cli {
namespace {

constexpr char kFuzzExamples[] =
    "  jostle fuzz ./bank                          30 seconds, stops at the first failure\n"
    "  jostle fuzz --time 5m --keep-going ./bank   collects different failures\n"
    "  jostle fuzz --schedules 1000 --seed 7 -- ./server --port 0\n"
    "  jostle fuzz --ok-exit 3 -o out -- ./tool file.txt\n"
    "  jostle fuzz --time 5m --format sarif -o out -- ./server_test   writes results.sarif\n"
    "  jostle fuzz --format gcc ./bank             file:line: error: …, for editors\n"
    "  jostle fuzz --minimize 10s ./server         takes more time to make a failure small\n"
    "  jostle fuzz --input corpus -- ./parser @@   searches inputs and schedules together\n"
    "  jostle fuzz --each-test -t 60s ./tests      each test of GoogleTest, Catch2, doctest by "
    "itself\n"
    "  jostle fuzz --each-test build -R queue      the same for ctest's tests of a build folder\n"
    "  jostle fuzz --regress regressions ./server  first what was found before: "
    "docs/regressions.md\n"
    "  jostle fuzz --campaign /nfs/c1 --time 1h ./server   one of many workers: docs/campaign.md\n"
    "exit codes: 0 no failure, 77 failure found; all: docs/exit-codes.md";

constexpr char kVerifyExamples[] =
    "  jostle verify ./queue_test                  until all executions are explored, or one "
    "fails\n"
    "  jostle verify -t 10m ./queue_test           at most ten minutes\n"
    "  jostle verify --spurious ./queue_test       waits may end without a signal, too\n"
    "  jostle verify --memory=c11 ./queue_test     all that C++'s memory model allows, too\n"
    "  jostle verify --time-outs=any ./queue_test  time-outs may strike at any time, too\n"
    "  jostle verify --resume ./queue_test         goes on with what Ctrl-C or -t has interrupted\n"
    "  jostle verify --preemptions 2 ./server_test executions with at most two preemptions\n"
    "  jostle verify --graph tree.html ./bank      the executions as a tree, those that fail "
    "marked\n"
    "  jostle verify --campaign /nfs/v1 ./queue_test     one of many workers on any machines: "
    "docs/campaign.md\n"
    "  jostle verify --around regressions/audit ./bank   is it fixed? The recorded execution and "
    "those next to it\n"
    "executions that differ only in the order of independent operations count once: "
    "docs/verify.md\n"
    "exit codes: 0 verified (or all within the bound), 77 failed, 20 incomplete; all: "
    "docs/exit-codes.md";

constexpr uint64_t kDefaultNanoseconds = 30'000'000'000;
constexpr uint64_t kMostWorkers = 256;

std::optional<std::string> read_exit_codes(const std::string& text, channel::Config& config) {
  const auto codes = parse_exit_codes(text);
  if (!codes) return "expected exit codes like 0,3,10-12";
  for (const int code : *codes) config.exit_codes_ok[code / 64] |= uint64_t{1} << (code % 64);
  return std::nullopt;
}

// For strategies that explore all schedules.
std::optional<std::string> read_time_outs(const std::string& text, channel::Config& config) {
  if (text != "late" && text != "any") return "expected late or any";
  config.any_time_outs = text == "any" ? 1 : 0;
  return std::nullopt;
}

std::optional<std::string> read_executor(const std::string& text, channel::Config& config) {
  for (const auto executor :
       {channel::Executor::automatic, channel::Executor::snapshot, channel::Executor::fork}) {
    if (text != name(executor)) continue;
    config.executor = executor;
    return std::nullopt;
  }
  return "expected auto, snapshot or fork";
}

void add_campaign_options(CommandLine& line, FuzzOptions& options) {
  line.value("--campaign", "DIR",
             "be one of any number of workers, on any machines, that search together in this "
             "folder: docs/campaign.md",
             [&](const std::string& text) -> std::optional<std::string> {
               if (text.empty()) return "expected a folder";
               options.campaign = text;
               return std::nullopt;
             });
  line.value("--worker", "I/N",
             "of --campaign: this is worker I, from 0, of N (default: as Slurm, Kubernetes, MPI, "
             "GNU parallel or CI say)",
             [&](const std::string& text) -> std::optional<std::string> {
               options.worker = parse_worker(text);
               if (!options.worker) return "expected I/N with I from 0 to N-1, like 3/16";
               return std::nullopt;
             });
}

// What a campaign is about: which schedules, and how long.
void add_search_options(CommandLine& line, FuzzOptions& options) {
  channel::Config& config = options.config;
  line.limit("-n,--schedules", "stop after so many schedules", config.max_schedules);
  line.time_limit("-t,--time", "stop after this time (default 30s without --schedules)",
                  config.max_nanoseconds);
  line.value("--seed", "N", "repeat a campaign (default: random, printed)",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto seed = parse_number(text);
               if (!seed) return "expected a whole number";
               config.seed = *seed;
               options.seed_given = true;
               return std::nullopt;
             });
  line.schedule_options(config);
  line.schedule_file(options.schedule);
  line.value("--graph", "FILE", "draw the scheduling graph (Graphviz) of a systematic strategy",
             [&](const std::string& text) -> std::optional<std::string> {
               options.graph = text;
               return std::nullopt;
             });
  line.value(
      "-i,--input", "CORPUS",
      "search for inputs, too: a folder (or file) of them; @@ in the arguments is the input's "
      "file, without it the program reads standard input",
      [&](const std::string& text) -> std::optional<std::string> {
        options.inputs = text;
        return std::nullopt;
      });
  add_campaign_options(line, options);
  line.value("--regress", "DIR",
             "first try the findings in this folder that are of this program, in up to half of the "
             "time: are they fixed?",
             [&](const std::string& text) -> std::optional<std::string> {
               options.regress = text;
               return std::nullopt;
             });
  line.flag("--resume", "go on from the corpus of earlier campaigns (default without --seed)",
            options.resume_asked);
  line.flag("--fresh", "do not", options.fresh);
  line.flag("--each-test",
            "run each test of a GoogleTest, Catch2 or doctest program, or of ctest's in a build "
            "folder, by itself; they share the time",
            options.each_test);
  add_event_options(line, options.event_options);
  line.hidden_value("--time-outs",
                    [&](const std::string& text) { return read_time_outs(text, config); });
}

// The same for who wants all executions.
void add_verify_options(CommandLine& line, FuzzOptions& options) {
  channel::Config& config = options.config;
  line.limit("-n,--executions", "stop after so many", config.max_schedules);
  line.time_limit("-t,--time", "stop after this time (default: never)", config.max_nanoseconds);
  line.value("--preemptions", "N",
             "only executions in which at most so many times a thread is left that could go on",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto count = parse_number(text);
               if (!count || *count > dpor::kMostPreemptions) {
                 return fmt::format("expected a number up to {}", dpor::kMostPreemptions);
               }
               options.preemptions_given = true;
               set_strategy(config, fmt::format("dpor-bound:k={}", *count));
               return std::nullopt;
             });
  line.value(
      "--around", "FILE",
      "only executions next to that of a replay.json, whatever was built since: is it fixed?",
      [&](const std::string& text) -> std::optional<std::string> {
        options.around = AroundRecording{text};
        return std::nullopt;
      });
  line.value("--radius", "N",
             fmt::format("of --around: at most so many reversed races away (default {})",
                         FuzzOptions::kDefaultRadius),
             [&](const std::string& text) -> std::optional<std::string> {
               const auto count = parse_number(text);
               if (!count || *count > dpor::kMostReversals) {
                 return fmt::format("expected a number up to {}", dpor::kMostReversals);
               }
               options.radius = static_cast<uint32_t>(*count);
               return std::nullopt;
             });
  line.value("--graph", "FILE",
             "draw the executions and the races whose reversal leads from one to the next: .html, "
             ".json, else Graphviz",
             [&](const std::string& text) -> std::optional<std::string> {
               options.graph = text;
               return std::nullopt;
             });
  line.flag("--resume", "go on with the search of this program that was interrupted",
            options.resume_asked);
  add_campaign_options(line, options);
  line.value("--lease", "TIME",
             "of --campaign: a worker that is silent for so long is dead, and others take over "
             "what it was exploring (default 60s)",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto time = parse_duration(text);
               if (!time || *time < std::chrono::seconds(2)) {
                 return "expected a time of two seconds or more, like 60s or 5m";
               }
               options.lease = std::chrono::duration_cast<std::chrono::seconds>(*time);
               return std::nullopt;
             });
  line.run_options(config);
  line.value("--time-outs", "WHEN",
             "late (default): waits and sleeps time out only when nobody else can go on; any: at "
             "any time",
             [&](const std::string& text) { return read_time_outs(text, config); });
  line.flag("--spurious", "waits may also end without a signal", options.event_options.spurious);
  add_memory_option(line, options.event_options,
                    "which store an atomic load may read: sc, the newest (default); c11, any that "
                    "C++ allows by the memory orders");
}

// Which functions are meant is looked up when the program is started.
MaybeError add_atomic(const std::string& text, channel::Config& config) {
  if (Result<StopPattern> pattern = parse_stop_pattern(text, "--atomic"); !pattern) {
    return pattern.error();
  }
  const size_t length = std::strlen(config.atomic);
  const std::string more = (length == 0 ? "" : "\n") + text;
  if (length + more.size() >= sizeof config.atomic) {
    return Error{Exit::usage, "--atomic: too many patterns"};
  }
  std::memcpy(config.atomic + length, more.c_str(), more.size() + 1);
  return std::nullopt;
}

void add_common_options(CommandLine& line, FuzzOptions& options) {
  channel::Config& config = options.config;
  add_point_options(line, options.point_options);
  add_check_options(line, config, options.check_options);
  line.list("--atomic", "PATTERN",
            "functions that are to look atomic, like 'Cache::*': output, exit status and what is "
            "left in memory are those of a run that changes threads only outside of them",
            [&](const std::string& text) { return add_atomic(text, config); });
  line.value("--executor", "WHICH",
             "snapshot: rewind one process; fork: a process per run; auto (default)",
             [&](const std::string& text) { return read_executor(text, config); });
  line.value("-j,--jobs", "N", "so many processes search side by side (0: one per processor)",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto count = parse_number(text);
               if (!count || *count > kMostWorkers) {
                 return fmt::format("expected a number up to {}", kMostWorkers);
               }
               options.workers = *count ? static_cast<uint32_t>(*count)
                                        : std::max(1u, std::thread::hardware_concurrency());
               return std::nullopt;
             });
  line.value("--minimize", "off|TIME",
             "how long a failure's schedule is made smaller (default 1.5s)",
             [&](const std::string& text) -> std::optional<std::string> {
               options.minimizing = 0;
               if (text == "off") return std::nullopt;
               const auto time = parse_duration(text);
               if (!time) return "expected off, or a time like 500ms or 10s";
               options.minimizing = static_cast<uint64_t>(time->count());
               return std::nullopt;
             });
  line.flag("-k,--keep-going", "do not stop at the first failure", options.keep_going);
  line.value("-o,--output", "DIR", "where failures are kept (default jostle-out)",
             [&](const std::string& text) -> std::optional<std::string> {
               options.output = text;
               options.output_given = true;
               options.document.file = text;  // completed when the program's name is known
               return std::nullopt;
             });
  line.value("--ok-exit", "CODES", "exit codes that are no failure, like 0,3,10-12",
             [&](const std::string& text) { return read_exit_codes(text, config); });
  line.flag("--ignore-exit", "no exit code is a failure", options.ignore_exit);
  line.flag("--sync-only", "the program is not instrumented, and that is intended",
            options.sync_only);
  line.flag("-q,--quiet", "print failures only", options.quiet);
  add_format_option(line, options.document);
  line.flag("--json", "print a summary as JSON to stdout, text to stderr", options.json);
  line.hidden_value("--fork-server", [&](const std::string& text) -> std::optional<std::string> {
    const auto number = parse_number(text);
    if (!number) return "expected a descriptor";
    options.fork_server = static_cast<int>(*number);
    return std::nullopt;
  });
  line.hidden_value("--check-name", [&](const std::string& text) -> std::optional<std::string> {
    options.check = text;
    return std::nullopt;
  });
}

// What makes no sense for one worker of many.
MaybeError check_campaign_options(const FuzzOptions& options) {
  const char* other = options.each_test          ? "--each-test"
                      : options.resume_asked     ? "--resume"
                      : options.fresh            ? "--fresh"
                      : !options.graph.empty()   ? "--graph"
                      : options.output_given     ? "--output"
                      : options.fork_server >= 0 ? "a check"
                                                 : nullptr;
  if (other != nullptr) {
    return Error{Exit::usage, fmt::format("{} does not go with --campaign, whose workers share a "
                                          "folder: leave one of them out",
                                          other)};
  }
  if (options.verifies) {
    const bool is_weak = options.config.memory == channel::MemoryModel::c11;
    const char* alone = options.workers > 1         ? "-j (start more workers instead)"
                        : options.keep_going        ? "-k"
                        : options.around            ? "--around"
                        : options.preemptions_given ? "--preemptions"
                        : is_weak                   ? "--memory=c11"
                                                    : nullptr;
    if (alone == nullptr) return std::nullopt;
    return Error{Exit::usage, fmt::format("{} does not go with verify --campaign: leave one of "
                                          "them out",
                                          alone)};
  }
  if (strategy_info(options.config).has_graph) {
    return Error{Exit::usage,
                 fmt::format("--strategy {} explores everything in one process: --campaign is for "
                             "strategies that sample",
                             strategy_info(options.config).name)};
  }
  return std::nullopt;
}

}  // namespace

std::string FuzzOptions::with_more_time() const {
  const size_t own = words.size() - program.size();
  std::string text = verifies ? "jostle verify" : "jostle fuzz";
  for (size_t i = 0; i < own; ++i) {
    const std::string& word = words[i];
    const bool is_time = word == "-t" || word == "--time";
    i += is_time;  // with its value
    if (is_time || word == "--" || word.starts_with("--time=") ||
        (word.starts_with("-t") && word.size() > 2)) {
      continue;
    }
    text += " " + shell_quote(word);
  }
  constexpr uint64_t kSecond = 1'000'000'000;
  text += fmt::format(" -t {}s", (config.max_nanoseconds * 3 + kSecond - 1) / kSecond);
  if (!seed_given && !verifies) text += fmt::format(" --seed {}", config.seed);
  text += " --";
  for (size_t i = own; i < words.size(); ++i) text += " " + shell_quote(words[i]);
  return text;
}

std::string FuzzOptions::resumed() const {
  std::string text = resume_asked ? "jostle verify" : "jostle verify --resume";
  for (const std::string& word : words) text += " " + shell_quote(word);
  return text;
}

std::string FuzzOptions::test_title() const {
  if (test.empty()) return {};
  return fmt::format("{} of {}: {}", test_number, test_count, report::escape(test));
}

std::optional<int> parse_fuzz_options(const std::vector<std::string>& words, FuzzOptions& options) {
  channel::Config& config = options.config;
  config.record = 0;
  config.max_steps = kDefaultSteps;
  config.run_nanoseconds = kDefaultRunNanoseconds;
  set_strategy(config, options.verifies ? "dpor" : "portfolio");
  if (const char* executor = std::getenv("JOSTLE_EXECUTOR"); executor && *executor) {
    if (const auto wrong = read_executor(executor, config)) {
      return fail({Exit::usage, fmt::format("JOSTLE_EXECUTOR={}: {}", executor, *wrong)});
    }
  }
  const std::string command = options.verifies ? "jostle verify" : "jostle fuzz";
  CommandLine line(command, "[options] [--] program [arguments]",
                   options.verifies ? "Runs every execution of the program once, and says whether "
                                      "one fails."
                                    : "Runs the program under many schedules and reports those "
                                      "that make it fail.",
                   options.verifies ? kVerifyExamples : kFuzzExamples);
  if (options.verifies) {
    add_verify_options(line, options);
  } else {
    add_search_options(line, options);
  }
  add_common_options(line, options);
  if (const auto done = line.parse(words)) return done;
  set_event_options(options.event_options, config);
  if (!options.event_options.memory && strategy_info(config).name == "portfolio") {
    config.memory = channel::MemoryModel::automatic;
  }
  if (options.radius && !options.around) {
    return fail({Exit::usage, "--radius is for --around FILE"});
  }
  if (options.around) {
    if (options.preemptions_given) {
      return fail({Exit::usage, "--around and --preemptions are two bounds: choose one"});
    }
    set_strategy(config,
                 fmt::format("dpor-around:k={}", options.radius.value_or(options.kDefaultRadius)));
  }
  if (line.rest().empty() && !options.around) {
    return fail({Exit::usage,
                 fmt::format("no program given: {} [options] -- program [arguments]", command)});
  }
  options.program = line.rest();
  options.words = words;
  options.config_file = report::escape(line.config_file());
  if (options.each_test && (!options.inputs.empty() || !options.graph.empty())) {
    return fail({Exit::usage, fmt::format("{} is for a single campaign, --each-test makes many: "
                                          "choose one",
                                          options.inputs.empty() ? "--graph" : "--input")});
  }
  if (config.atomic[0] != '\0' && !options.inputs.empty()) {
    return fail(
        {Exit::usage, "--atomic compares runs of one input, --input makes many: choose one"});
  }
  if (options.each_test && !options.regress.empty()) {
    return fail({Exit::usage,
                 fmt::format("--regress is for a single campaign: jostle replay {} first, then "
                             "fuzz --each-test",
                             options.regress)});
  }
  if (options.worker && options.campaign.empty()) {
    return fail({Exit::usage, "--worker is for --campaign DIR"});
  }
  if (options.lease != kDefaultLease && options.campaign.empty()) {
    return fail({Exit::usage, "--lease is for --campaign DIR"});
  }
  if (!options.campaign.empty()) {
    if (const MaybeError error = check_campaign_options(options)) return fail(*error);
  }
  if (options.json && options.document.wanted()) {
    return fail({Exit::usage, "--json prints the statistics, --format a document: choose one"});
  }
  config.keep_going = options.keep_going ? 1 : 0;
  config.any_exit_code_ok = options.ignore_exit ? 1 : 0;
  const bool has_neighbours = options.workers > 1 || !options.campaign.empty();
  config.file_care = has_neighbours ? channel::FileCare::name : channel::FileCare::restore;
  options.time_given = config.max_nanoseconds != 0;
  if (config.max_schedules == 0 && config.max_nanoseconds == 0 && !options.verifies) {
    config.max_nanoseconds = kDefaultNanoseconds;
  }
  if (config.max_nanoseconds != 0) {
    options.budget = Budget(std::chrono::nanoseconds(static_cast<int64_t>(config.max_nanoseconds)));
  }
  options.resume =
      (options.resume_asked || !options.seed_given) && !options.fresh && !options.verifies;
  const bool has_bound = strategy_info(config).name != "dpor";
  if (options.verifies && has_bound && options.workers > 1) {
    return fail({Exit::usage,
                 fmt::format("{} explores in one process, -j in several: leave one of them out",
                             options.around ? "--around" : "--preemptions")});
  }
  if (options.verifies && options.resume_asked && (options.workers > 1 || has_bound)) {
    return fail({Exit::usage, fmt::format("--resume is for a search {}: leave one of them out",
                                          options.around ? "without --around"
                                          : has_bound    ? "without --preemptions"
                                                         : "in one process, "
                                                           "not with -j")});
  }
  if (options.verifies && !options.graph.empty() && (options.workers > 1 || options.resume_asked)) {
    return fail(
        {Exit::usage, fmt::format("--graph draws a search from its beginning in one process: "
                                  "leave {} out",
                                  options.workers > 1 ? "-j" : "--resume")});
  }
  if (options.verifies && !options.graph.empty() && options.preemptions_given) {
    return fail({Exit::usage, "--graph draws reversed races, and --preemptions reverses none"});
  }
  const bool is_weak = config.memory == channel::MemoryModel::c11;
  if (options.verifies && is_weak && (has_bound || options.workers > 1 || options.resume_asked)) {
    const char* other = options.around        ? "--around"
                        : has_bound           ? "--preemptions"
                        : options.workers > 1 ? "-j"
                                              : "--resume";
    return fail(
        {Exit::usage, fmt::format("{} explores sequentially consistent memory only: leave it or "
                                  "--memory=c11 out",
                                  other)});
  }
  config.keep_graph = options.graph.empty() ? 0 : 1;
  if (config.keep_graph && !strategy_info(config).has_graph) {
    return fail(
        {Exit::usage,
         fmt::format("--graph is for strategies that explore all schedules, not for {}: see "
                     "jostle strategies",
                     strategy_info(config).name)});
  }
  if (!options.seed_given) config.seed = std::random_device{}() % 1'000'000;
  return std::nullopt;
}

}  // namespace jostle::cli
