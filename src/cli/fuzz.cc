// `jostle fuzz`: many schedules, the failures among them, each confirmed before it is shown.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "src/cli/checks.h"
#include "src/cli/command_line.h"
#include "src/cli/commands.h"
#include "src/cli/confirm.h"
#include "src/cli/corpus.h"
#include "src/cli/document.h"
#include "src/cli/event_options.h"
#include "src/cli/files.h"
#include "src/cli/fork_server.h"
#include "src/cli/fuzz_inputs.h"
#include "src/cli/input_shrinking.h"
#include "src/cli/many_runs.h"
#include "src/cli/minimizing_in_turn.h"
#include "src/cli/plot_data.h"
#include "src/cli/progress.h"
#include "src/cli/race_list.h"
#include "src/cli/replay_file.h"
#include "src/cli/signals.h"
#include "src/cli/stats.h"
#include "src/cli/stop_points.h"
#include "src/cli/strategy_start.h"
#include "src/cli/values.h"
#include "src/cli/workers.h"
#include "src/report/failure.h"
#include "src/report/graph_dot.h"
#include "src/report/record_view.h"
#include "src/report/text.h"

namespace jostle::cli {
namespace {

constexpr char kFuzzExamples[] =
    "  jostle fuzz ./bank                          30 seconds, stops at the first failure\n"
    "  jostle fuzz --time 5m --keep-going ./bank   collects different failures\n"
    "  jostle fuzz --schedules 1000 --seed 7 -- ./server --port 0\n"
    "  jostle fuzz --ok-exit 3 -o out -- ./tool file.txt\n"
    "  jostle fuzz --time 5m --format sarif -o out -- ./server_test   writes results.sarif\n"
    "  jostle fuzz --minimize 10s ./server         takes more time to make a failure small\n"
    "  jostle fuzz --input corpus -- ./parser @@   searches inputs and schedules together\n"
    "exit codes: 0 no failure, 77 failure found; all: docs/exit-codes.md";

constexpr uint64_t kDefaultNanoseconds = 30'000'000'000;
// A finding that does not show again is tried with other schedules of the same looks this often.
constexpr int kAttemptsPerSignature = 3;
constexpr uint64_t kMostWorkers = 256;
constexpr uint64_t kDefaultMinimizing = 1'500'000'000;

struct FuzzOptions {
  channel::Config config = default_config(channel::Mode::fuzz);
  std::string output = "jostle-out";
  std::string schedule;  // file for the strategy to begin with
  std::string graph;     // file for the scheduling graph
  std::string inputs;    // corpus: inputs are searched for, too
  bool keep_going = false, ignore_exit = false, sync_only = false, quiet = false, json = false;
  bool seed_given = false;
  uint32_t workers = 1;
  uint64_t minimizing = kDefaultMinimizing;  // nanoseconds per failure; 0: not at all
  bool resume = true;
  DocumentOptions document;
  PointOptions point_options;
  PointSetting points;
  CheckOptions check_options;
  EventOptions event_options;
  Suppressions suppressions;
  std::vector<std::string> program;
  // Started by a program that waits in jostle::check: its socket, and which check it is.
  int fork_server = -1;
  std::string check;
};

std::optional<std::string> read_exit_codes(const std::string& text, channel::Config& config) {
  const auto codes = parse_exit_codes(text);
  if (!codes) return "expected exit codes like 0,3,10-12";
  for (const int code : *codes) config.exit_codes_ok[code / 64] |= uint64_t{1} << (code % 64);
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

std::optional<int> parse_options(const std::vector<std::string>& words, FuzzOptions& options) {
  channel::Config& config = options.config;
  config.record = 0;
  config.max_steps = kDefaultSteps;
  config.run_nanoseconds = kDefaultRunNanoseconds;
  set_strategy(config, "portfolio");
  if (const char* executor = std::getenv("JOSTLE_EXECUTOR"); executor && *executor) {
    if (const auto wrong = read_executor(executor, config)) {
      return fail({Exit::usage, fmt::format("JOSTLE_EXECUTOR={}: {}", executor, *wrong)});
    }
  }
  CommandLine line("jostle fuzz", "[options] [--] program [arguments]",
                   "Runs the program under many schedules and reports those that make it fail.",
                   kFuzzExamples);
  line.number("-n,--schedules", "stop after so many schedules", config.max_schedules);
  line.duration("-t,--time", "stop after this time (default 30s without --schedules)",
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
  add_point_options(line, options.point_options);
  add_check_options(line, config, options.check_options);
  add_event_options(line, options.event_options);
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
  bool resume = false, fresh = false;
  line.flag("--resume", "go on from the corpus of earlier campaigns (default without --seed)",
            resume);
  line.flag("--fresh", "do not", fresh);
  line.value("--minimize", "off|TIME", "how long a failure's schedule is made smaller (1.5s)",
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
  if (const auto done = line.parse(words)) return done;
  set_event_options(options.event_options, config);
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle fuzz [options] -- program [arguments]"});
  }
  options.program = line.rest();
  if (options.json && options.document.wanted()) {
    return fail({Exit::usage, "--json prints the statistics, --format a document: choose one"});
  }
  config.keep_going = options.keep_going ? 1 : 0;
  config.any_exit_code_ok = options.ignore_exit ? 1 : 0;
  if (config.max_schedules == 0 && config.max_nanoseconds == 0) {
    config.max_nanoseconds = kDefaultNanoseconds;
  }
  options.resume = (resume || !options.seed_given) && !fresh;
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

// "inputs: 40.1 % empty, 2.0 % large": what jostle::classify counted.
std::string describe_classes(const channel::Channel& channel) {
  const auto runs = static_cast<double>(std::max<uint64_t>(1, channel.status.runs));
  std::string text;
  for (const channel::ClassCount& kind : channel.classes) {
    if (kind.name[0] == '\0') break;
    text += fmt::format("{}{:.1f} % {}", text.empty() ? "inputs: " : ", ",
                        100 * static_cast<double>(kind.runs) / runs,
                        report::escape(report::bounded(kind.name)));
  }
  return text.empty() ? text : text + "\n";
}

// "Bank, transfer" → "Bank--transfer": a check's name may be anything.
std::string file_name_for(std::string_view check) {
  std::string name;
  for (const char c : check) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
    name += plain ? c : '-';
  }
  if (name.empty() || name.front() == '.') name.insert(0, "check");
  return name.substr(0, 100);
}

// The course of one campaign after everything has been checked.
class Fuzz {
 public:
  Fuzz(FuzzOptions options, Target target, OutputFolder folder, StandardInput input,
       Installation installation, StrategyStart start, std::optional<FuzzInputs> inputs)
      : options_(std::move(options)),
        start_(std::move(start)),
        inputs_(std::move(inputs)),
        folder_(std::move(folder)),
        input_(std::move(input)),
        installation_(std::move(installation)),
        text_(installation_.fork_server || options_.json || options_.document.on_stdout() ? stderr
                                                                                          : stdout),
        progress_(options_.quiet),
        plot_(leaves_files() ? folder_.path() + "/" + kPlotFileName : "/dev/null") {
    if (!options_.document.file.empty()) {
      options_.document.file =
          fmt::format("{}/{}", folder_.path(), document_name(options_.document.format));
    }
    result_.target = std::move(target);
    result_.arguments.assign(options_.program.begin() + 1, options_.program.end());
    result_.config = options_.config;
    result_.workers = options_.workers;
    result_.config.points = options_.points.points;
    result_.stop_functions = options_.points.functions;
    program_ = record_program(result_.target, result_.arguments);
    program_.check = options_.check;
  }

  int run();

 private:
  // The unit test that passes leaves nothing behind; a failure is kept in any case.
  bool leaves_files() const { return !installation_.fork_server || !options_.quiet; }
  void tell_check();
  std::string corpus_folder() const { return folder_.path() + "/corpus"; }
  MaybeError search();
  MaybeError take(const Finding& finding, channel::Executor executor, Hub& hub);
  Result<Finding> make_input_small(const Finding& finding);
  MaybeError use_input(const std::string& bytes);
  Result<Minimized> minimize_with_input(LaunchPlan plan, const channel::Config& config,
                                        const Finding& finding, std::chrono::nanoseconds time);
  Result<Confirmation> make_small_and_confirm(const Finding& finding, channel::Executor executor,
                                              FailureEntry& entry);
  ConfirmSetup setup() const {
    return {result_.target,       program_, input_, folder_, installation_, options_.config,
            options_.suppressions};
  }
  MaybeError list_races(const channel::Channel& channel);
  void say_executor(const Workers& campaign);
  void show(const Confirmation& confirmation);
  bool seen_enough(uint64_t signature) const;
  void decide_exit(const MaybeError& error);
  bool all_rejected() const;
  void print_summary();
  MaybeError write_stats();
  MaybeError write_result(const MaybeError& error);
  MaybeError write_graph(const channel::Channel& channel);
  void write_fuzzer_stats(const ProgressView& view);

  FuzzOptions options_;
  StrategyStart start_;
  std::optional<FuzzInputs> inputs_;
  std::string failing_input_;  // of the finding at hand
  OutputFolder folder_;
  StandardInput input_;
  Installation installation_;
  FILE* text_;
  Progress progress_;
  PlotData plot_;
  SignalWatch signals_{true};
  RecordedProgram program_;
  CampaignResult result_;
  std::string check_report_;                // of the failures, for the program that waits
  std::vector<report::TraceModel> models_;  // of the failures, for the document
  RaceList races_;
  std::set<uint64_t> confirmed_;
  std::map<uint64_t, int> attempts_;
  bool output_failed_ = false;
  bool interrupted_ = false;
  std::string note_;
  std::string classes_;  // how many runs of a property were of which kind
  std::chrono::steady_clock::time_point next_stats_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(10);
};

bool Fuzz::seen_enough(uint64_t signature) const {
  const auto attempts = attempts_.find(signature);
  return confirmed_.contains(signature) ||
         (attempts != attempts_.end() && attempts->second >= kAttemptsPerSignature);
}

void Fuzz::show(const Confirmation& confirmation) {
  progress_.clear();
  if (installation_.fork_server) {
    check_report_ += confirmation.report;
  } else {
    fmt::print(text_, "{}\n", confirmation.report);
    std::fflush(text_);
  }
  if (confirmation.not_saved) note(confirmation.not_saved->message);
}

// The smallest schedule that a fresh process confirms: the minimised one, or the one that was
// found.
Result<Confirmation> Fuzz::make_small_and_confirm(const Finding& finding,
                                                  channel::Executor executor, FailureEntry& entry) {
  const bool colour = !installation_.fork_server && wants_colour(fileno(text_));
  entry.preemptions = entry.preemptions_before = preemptions_of(finding.log);
  if (options_.minimizing == 0) return confirm(setup(), finding, colour);
  progress_.clear();
  const Descriptor in = reopen(input_.file.get());
  LaunchPlan plan{result_.target.path, options_.program};
  plan.in = in.get();
  channel::Config config = options_.config;
  options_.points.apply(config, plan);
  config.executor = executor;
  const std::chrono::nanoseconds time(options_.minimizing);
  const std::string input = failing_input_;
  Result<Minimized> small = inputs_ ? minimize_with_input(plan, config, finding, time)
                                    : minimize(plan, config, finding, time, installation_);
  if (!small || !small->found) {
    if (small && !options_.quiet) note("not minimised: " + small->why_not);
    return confirm(setup(), finding, colour);
  }
  Result<Confirmation> answer = confirm(setup(), small->smallest, colour, &*small);
  if (!answer || !(answer->confirmed || answer->suppressed)) {
    if (MaybeError error = use_input(input)) return *error;
    return confirm(setup(), finding, colour);
  }
  entry.preemptions = preemptions_of(small->smallest.log);
  return answer;
}

// What the program is given when a failure is minimised and confirmed.
MaybeError Fuzz::use_input(const std::string& bytes) {
  if (!inputs_ || bytes == failing_input_) return std::nullopt;
  Result<StandardInput> input = input_of_bytes(bytes);
  if (!input) return input.error();
  input_ = std::move(*input);
  failing_input_ = bytes;
  return std::nullopt;
}

// The input gets smaller with the schedule; what is confirmed next is run with it.
Result<Minimized> Fuzz::minimize_with_input(LaunchPlan plan, const channel::Config& config,
                                            const Finding& finding, std::chrono::nanoseconds time) {
  plan.in = -1;
  Result<MinimizedInTurn> small =
      minimize_in_turn(plan, config, finding, failing_input_, time, installation_);
  if (!small) return small.error();
  if (small->schedule.found) {
    if (MaybeError error = use_input(small->bytes)) return *error;
  }
  return std::move(small->schedule);
}

// Before the schedule: what is left out of the input need not be scheduled.
Result<Finding> Fuzz::make_input_small(const Finding& finding) {
  if (!inputs_ || options_.minimizing == 0 || !why_not_minimized(finding.end).empty()) {
    return finding;
  }
  progress_.clear();
  LaunchPlan plan{result_.target.path, options_.program};
  channel::Config config = options_.config;
  options_.points.apply(config, plan);
  Result<ShrunkInput> small =
      shrink_input(plan, config, finding, failing_input_,
                   std::chrono::nanoseconds(options_.minimizing), installation_);
  if (!small) return small.error();
  if (MaybeError error = use_input(small->bytes)) return *error;
  return small->finding;
}

MaybeError Fuzz::take(const Finding& finding, channel::Executor executor, Hub& hub) {
  if (finding.end.outcome == channel::Outcome::unsupported) {
    return Error{Exit::unsupported, report::summary(finding.end)};
  }
  if (finding.end.outcome == channel::Outcome::race &&
      !(options_.config.fail_on & channel::kCheckRace)) {
    races_.add(finding);
    return std::nullopt;
  }
  if (seen_enough(finding.signature)) return std::nullopt;
  if (inputs_) {
    failing_input_ = inputs_->failing(finding.schedule_number);
    Result<StandardInput> input = input_of_bytes(failing_input_);
    if (!input) return input.error();
    input_ = std::move(*input);
  }
  FailureEntry entry{std::string(report::kind(finding.end)), report::summary(finding.end),
                     finding.schedule_number, finding.signature};
  Result<Finding> smaller = make_input_small(finding);
  if (!smaller) return smaller.error();
  Result<Confirmation> answer = make_small_and_confirm(*smaller, executor, entry);
  if (!answer) return answer.error();
  if (inputs_ && answer->confirmed && !answer->not_saved) {
    Result<AtomicFile> file = AtomicFile::open(answer->folder + "/" + kInputFileName);
    if (!file) return file.error();
    if (MaybeError error = file->commit(failing_input_)) return error;
  }
  if (answer->suppressed) {
    // From now on runs do not end there; the campaign goes on.
    hub.suppressed.insert(channel::race_key(finding.end.race[0], finding.end.race[1]));
    attempts_[finding.signature] = kAttemptsPerSignature;
    return std::nullopt;
  }
  entry.why = answer->why;
  if (answer->confirmed) {
    confirmed_.insert(finding.signature);
    if (!answer->not_saved) entry.folder = answer->folder;
    output_failed_ |= answer->not_saved.has_value();
    result_.failures.push_back(entry);
    if (options_.document.wanted()) models_.push_back(answer->model);
    std::erase_if(result_.unconfirmed,
                  [&](const FailureEntry& e) { return e.signature == finding.signature; });
    show(*answer);
    return std::nullopt;
  }
  if (attempts_[finding.signature]++ == 0) {
    entry.why_not = answer->why_not;
    result_.unconfirmed.push_back(entry);
  }
  return std::nullopt;
}

// Once, as soon as it is known.
void Fuzz::say_executor(const Workers& campaign) {
  if (!result_.executor_note.empty()) return;
  result_.executor_note = campaign.executor_note();
  // Who runs tests has to know that they are slow, or not to be trusted.
  if (result_.executor_note.empty() || (options_.quiet && !installation_.fork_server)) return;
  progress_.clear();
  note(result_.executor_note);
}

MaybeError Fuzz::search() {
  LaunchPlan plan{result_.target.path, options_.program};
  plan.in = input_.file.get();
  plan.own_group = true;
  plan.prepare = [this](channel::Channel& channel) { start_.store(channel); };
  options_.points.apply(options_.config, plan);
  Result<SharedHub> hub = create_hub();
  if (!hub) return hub.error();
  if (options_.resume) {
    const CorpusLoad load = load_corpus(corpus_folder(), result_.target, **hub);
    if (const std::string text = describe(load); !text.empty() && !options_.quiet) note(text);
  }
  result_.started = std::chrono::system_clock::now();
  Result<Workers> campaign =
      Workers::start(plan, options_.config, installation_, std::move(*hub), options_.workers);
  if (!campaign) return campaign.error();
  MaybeError failure;
  for (bool running = true; running && !failure;) {
    Result<bool> stepped = campaign->step(signals_);
    if (!stepped) failure = stepped.error();
    running = stepped && *stepped;
    while (std::optional<Finding> finding = campaign->next_finding()) {
      const channel::Executor executor = campaign->totals().executor;
      if (MaybeError error = take(*finding, executor, campaign->hub())) failure = error;
      if (failure) break;
      if (!options_.keep_going && !confirmed_.empty()) {
        campaign->stop();
        break;
      }
    }
    say_executor(*campaign);
    ProgressView view{campaign->totals(), campaign->elapsed()};
    for (const FailureEntry& failure_entry : result_.failures) ++view.failures[failure_entry.kind];
    view.shares = report::bounded(campaign->channel().status.shares);
    progress_.show(view);
    running ? plot_.add(view) : plot_.finish(view);
    if (std::chrono::steady_clock::now() >= next_stats_) write_fuzzer_stats(view);
    const bool may_go_on = confirmed_.empty() && !options_.keep_going && !failure && !running;
    if (may_go_on && campaign->stop_reason() == channel::StopReason::finding) {
      Result<bool> again = campaign->go_on();
      if (!again) failure = again.error();
      running = again && *again;
    }
  }
  progress_.clear();
  result_.totals = campaign->totals();
  result_.evenness = evenness_of(campaign->hub());
  result_.elapsed = campaign->elapsed();
  interrupted_ = campaign->interrupted();
  const bool stopped_by_us = !options_.keep_going && !confirmed_.empty();
  result_.stopped = interrupted_    ? "interrupted"
                    : stopped_by_us ? "finding"
                                    : std::string(name(campaign->stop_reason()));
  note_ = campaign->note();
  classes_ = describe_classes(campaign->channel());
  report::Symbolizer symbols(report::modules(campaign->channel()));
  if (leaves_files()) {
    if (MaybeError error = save_corpus(corpus_folder(), result_.target, campaign->hub(), symbols);
        error && !failure) {
      failure = error;
    }
  }
  if (inputs_) {
    Result<size_t> saved = inputs_->save_found();
    if (!saved && !failure) failure = saved.error();
    if (saved && !options_.quiet) {
      note(
          fmt::format("inputs: {} given, {} new in {}", inputs_->given(), *saved, options_.inputs));
    }
  }
  if (!failure && !options_.graph.empty()) failure = write_graph(campaign->channel());
  if (MaybeError error = list_races(campaign->channel()); error && !failure) failure = error;
  result_.lock_order = lock_order_warnings(campaign->hub(), symbols);
  return failure;
}

// Those that are no failures, to races.txt and into the statistics.
MaybeError Fuzz::list_races(const channel::Channel& channel) {
  report::Symbolizer symbols(report::modules(channel));
  if (MaybeError error = races_.resolve(setup(), options_.suppressions, symbols)) return error;
  result_.races = races_.entries();
  const std::string path = folder_.path() + "/races.txt";
  if (result_.races.empty() || !leaves_files()) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // of an earlier campaign
    return std::nullopt;
  }
  Result<AtomicFile> file = AtomicFile::open(path);
  return file ? file->commit(races_.text()) : MaybeError(file.error());
}

// Now and then, and at the end. Whoever watches may miss one: no reason to end the campaign.
void Fuzz::write_fuzzer_stats(const ProgressView& view) {
  constexpr std::chrono::seconds kEvery{10};
  next_stats_ = std::chrono::steady_clock::now() + kEvery;
  result_.totals = view.totals;
  result_.elapsed = view.elapsed;
  if (!leaves_files()) return;
  if (Result<AtomicFile> file = AtomicFile::open(folder_.path() + "/fuzzer_stats")) {
    file->commit(fuzzer_stats_text(result_));
  }
}

MaybeError Fuzz::write_graph(const channel::Channel& channel) {
  Result<AtomicFile> file = AtomicFile::open(options_.graph);
  if (!file) return file.error();
  report::Symbolizer symbols(report::modules(channel));
  const uint32_t count = std::min<uint32_t>(channel.status.graph_count, channel::kMaxGraphNodes);
  return file->commit(report::graph_dot({channel.graph, count}, symbols));
}

void Fuzz::decide_exit(const MaybeError& error) {
  const uint64_t unsupported =
      result_.totals.outcomes[static_cast<size_t>(channel::Outcome::unsupported)];
  if (output_failed_) {
    result_.exit = Exit::output;
  } else if (!result_.failures.empty()) {
    result_.exit = Exit::found;
  } else if (error) {
    result_.exit = error->code;
  } else if (interrupted_) {
    result_.exit = Exit::interrupted;
  } else if (!result_.unconfirmed.empty()) {
    result_.exit = Exit::not_reproduced;
  } else if (result_.stopped == "error" || result_.totals.stuck != 0 ||
             (unsupported != 0 && unsupported == result_.totals.schedules) || all_rejected()) {
    result_.exit = Exit::unsupported;
  }
}

// Green would mean nothing.
bool Fuzz::all_rejected() const {
  return result_.totals.rejected != 0 && result_.totals.rejected == result_.totals.schedules;
}

// What the program that waits in its check is told at the end.
void Fuzz::tell_check() {
  std::error_code ignored;
  if (!leaves_files() && result_.failures.empty()) {  // only if they are empty
    std::filesystem::remove(folder_.path(), ignored);
    std::filesystem::remove(options_.output, ignored);
  }
  ForkServer::Outcome outcome;
  outcome.exit_code = static_cast<int>(result_.exit);
  outcome.schedules = result_.totals.schedules;
  outcome.inputs = result_.totals.inputs;
  outcome.rejected = result_.totals.rejected;
  outcome.seconds = std::chrono::duration<double>(result_.elapsed).count();
  outcome.report = check_report_;
  if (!result_.failures.empty() && !result_.failures.front().folder.empty()) {
    outcome.replay = result_.failures.front().folder + "/" + kReplayFileName;
  }
  installation_.fork_server->finish(outcome);
}

// "all 1,680 schedules", "all 72 schedules with at most 2 preemptions"
std::string all_schedules(const channel::Exploration& explored) {
  std::string text = fmt::format("all {}", report::count(explored.explored, "schedule"));
  if (explored.explored == 1) text = "the only schedule there is";
  if (explored.bound >= 0 && !explored.everything) {
    text += fmt::format(" within bound {}", explored.bound);
  }
  return text;
}

// The columns of a table of campaigns: how runs ended, and what one costs.
std::string shares_line(const Totals& totals, std::chrono::nanoseconds elapsed) {
  const Shares shares = shares_of(totals, elapsed);
  return fmt::format(
      "violated {:.1f} %, deadlocked {:.1f} %, timed out {:.1f} %, {:.4f} ms per "
      "schedule",
      shares.violated, shares.deadlocked, shares.timed_out, shares.ms_per_schedule);
}

void Fuzz::print_summary() {
  const Totals& totals = result_.totals;
  const double seconds = std::chrono::duration<double>(result_.elapsed).count();
  const std::string effort =
      fmt::format("{} ({} distinct, {} by reads-from)", report::count(totals.schedules, "schedule"),
                  report::thousands(totals.distinct), report::thousands(totals.reads_from_sets));
  for (const FailureEntry& entry : result_.unconfirmed) {
    note(fmt::format("not confirmed: {} in schedule {}: {}", entry.kind,
                     report::thousands(entry.schedule_number), entry.why_not));
  }
  if (!result_.unconfirmed.empty()) {
    note("the program does something that a schedule does not decide: see `jostle doctor`");
  }
  if (totals.stuck != 0) {
    note(fmt::format("{} hung and had to be killed from outside: see `jostle doctor`",
                     report::count(totals.stuck, "run")));
  }
  if (!note_.empty()) note(note_);
  if (all_rejected()) {
    note(
        fmt::format("assume() or a filter rejected the inputs of all {}: nothing was tested; let "
                    "the generators make what fits",
                    report::count(totals.schedules, "run")));
  }
  if (options_.quiet) return;
  const channel::Exploration& explored = totals.exploration;
  if (explored.finished && result_.stopped == "exhausted") {
    fmt::print(text_, "{}: {} explored{}\n", result_.failures.empty() ? "no failure" : "done",
               all_schedules(explored),
               explored.everything ? " (exhaustive at this granularity)" : "");
  }
  if (!result_.failures.empty()) {
    fmt::print(text_, "{} in {:.1f} s: {}, {} of them failed\n",
               report::count(result_.failures.size(), "failure"), seconds, effort,
               report::thousands(totals.failing_schedules));
  } else if (result_.exit != Exit::unsupported) {
    const std::string_view how = interrupted_ ? ", interrupted" : "";
    fmt::print(text_, "no failure in {:.1f} s: {}, {}/s{}\n", seconds, effort,
               report::rough(seconds > 0 ? static_cast<double>(totals.schedules) / seconds : 0),
               how);
  }
  if (totals.schedules > 1) fmt::print(text_, "{}\n", shares_line(totals, result_.elapsed));
  fmt::print(text_, "{}", classes_);
  if (!result_.races.empty()) fmt::print(text_, "{}", races_.brief(folder_.path() + "/races.txt"));
  fmt::print(text_, "{}", describe_lock_order(result_.lock_order));
  std::fflush(text_);
}

MaybeError Fuzz::write_stats() {
  const std::string text = stats_text(result_);
  if (options_.json) {
    fmt::print("{}", text);
    std::fflush(stdout);
  }
  if (!leaves_files()) return std::nullopt;
  Result<AtomicFile> file = AtomicFile::open(folder_.path() + "/stats.json");
  if (!file) return file.error();
  return file->commit(text);
}

MaybeError Fuzz::write_result(const MaybeError& error) {
  if (!options_.document.wanted()) return std::nullopt;
  report::RunResult result = begin_result("fuzz", result_.target.given, result_.arguments);
  result.schedules = result_.totals.schedules;
  result.seconds = std::chrono::duration<double>(result_.elapsed).count();
  result.exit_code = static_cast<int>(result_.exit);
  if (error) result.problem = report::escape(error->message);
  result.failures = std::move(models_);
  for (const FailureEntry& entry : result_.unconfirmed) {
    result.unconfirmed.push_back({entry.kind, entry.headline, report::escape(entry.why_not)});
  }
  const std::string text = document_text(options_.document.format, result, stats_json(result_));
  if (MaybeError unwritten = write_document(options_.document, text)) return unwritten;
  if (!options_.document.on_stdout() && !options_.quiet) {
    fmt::print(text_, "{}\n", options_.document.file);
  }
  return std::nullopt;
}

int Fuzz::run() {
  if (!options_.quiet) {
    const bool forks = options_.config.executor == channel::Executor::fork;
    const std::string points = options_.points.headline();
    const std::string workers =
        options_.workers == 1 ? "" : fmt::format(" · {} workers", options_.workers);
    note(fmt::format("{} · {} · {} executor · {}{}{}{} · seed {}", result_.target.name,
                     result_.target.instrumented ? "instrumented" : "synchronisation calls only",
                     forks ? "fork" : "snapshot", report::bounded(options_.config.strategy),
                     workers, points.empty() ? "" : " · ", points, options_.config.seed));
  }
  const MaybeError error = search();
  decide_exit(error);
  write_fuzzer_stats({result_.totals, result_.elapsed});
  if (error) note(error->message);
  if (!error || !result_.failures.empty()) print_summary();
  if (const MaybeError unwritten = write_stats(); unwritten && !output_failed_) {
    return fail(*unwritten);
  }
  if (const MaybeError unwritten = write_result(error)) return fail(*unwritten);
  if (installation_.fork_server) tell_check();
  return static_cast<int>(result_.exit);
}

}  // namespace

int fuzz_command(const std::vector<std::string>& words) {
  FuzzOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<Target> target = examine_target(options.program[0]);
  if (!target) return fail(target.error());
  // A program that waits in a check is linked with the library.
  Result<Installation> installation = find_installation(options.fork_server < 0);
  if (!installation) return fail(installation.error());
  const bool is_check = options.fork_server >= 0;
  if (is_check) installation->fork_server = std::make_shared<ForkServer>(options.fork_server);
  Result<PointSetting> points =
      find_points(options.point_options, {target->path, options.program}, *installation);
  if (!points) return fail(points.error());
  options.points = std::move(*points);
  Result<Suppressions> suppressions = Suppressions::load(options.check_options.suppressions);
  if (!suppressions) return fail(suppressions.error());
  options.suppressions = std::move(*suppressions);
  Result<OutputFolder> folder =
      OutputFolder::open(options.output, is_check ? file_name_for(options.check) : target->name);
  if (!folder) return fail(folder.error());
  Result<StandardInput> input = prepare_input();
  if (!input) return fail(input.error());
  Result<StrategyStart> start = load_strategy_start(options.config, options.schedule);
  if (!start) return fail(start.error());
  std::optional<FuzzInputs> inputs;
  if (!options.inputs.empty()) {
    Result<FuzzInputs> opened = FuzzInputs::open(options.inputs);
    if (!opened) return fail(opened.error());
    inputs.emplace(std::move(*opened));
    inputs->announce();
    options.program = with_input_path(std::move(options.program));
  }
  if (!target->instrumented && !options.sync_only && !is_check) {
    note(not_instrumented_note(*target));
  }
  return Fuzz(std::move(options), std::move(*target), std::move(*folder), std::move(*input),
              std::move(*installation), std::move(*start), std::move(inputs))
      .run();
}

}  // namespace jostle::cli
