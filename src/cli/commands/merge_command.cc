// SPDX-License-Identifier: Apache-2.0
// `jostle merge`: prunes the corpus of a program. Every schedule is run once, the simplest first,
// and only those stay that show a pair of a write and a read which none before them has shown. Of a
// campaign in a folder nothing is removed: what stays is summed up in a file beside the segments.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/cli/campaign/corpus.h"
#include "src/cli/campaign/workers.h"
#include "src/cli/commands/commands.h"
#include "src/cli/folder/campaign_view.h"
#include "src/cli/folder/distilled.h"
#include "src/cli/options/command_line.h"
#include "src/cli/recording/files.h"
#include "src/cli/runs/many_runs.h"
#include "src/cli/target/signals.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kMergeExamples[] =
    "  jostle merge ./bank                 prunes jostle-out/bank/corpus\n"
    "  jostle merge -o out -- ./tool -x    the corpus of `jostle fuzz -o out -- ./tool -x`\n"
    "  jostle merge /nfs/c1                sums up a campaign in a folder: who joins reads one "
    "file\n"
    "  jostle merge /nfs/c1 -- ./build/bank  the same, where the program is elsewhere";

channel::Config merge_config() {
  channel::Config config = default_config(channel::Mode::fuzz);
  config.record = 0;
  config.keep_going = 1;
  config.max_steps = kDefaultSteps;
  config.run_nanoseconds = kDefaultRunNanoseconds;
  set_strategy(config, "rff:mutate=off");
  return config;
}

// Runs every schedule of the hub once and marks those that show something new.
Result<Workers> run_all(const ManyRuns& ready, const std::vector<std::string>& program,
                        SharedHub hub) {
  LaunchPlan plan{ready.target.path, program};
  plan.in = ready.input.file.get();
  plan.own_group = true;
  Result<Workers> workers =
      Workers::start(plan, merge_config(), ready.installation, std::move(hub), 1);
  if (!workers) return workers;
  SignalWatch signals{true};
  while (true) {
    Result<bool> running = workers->step(signals);
    if (!running) return running.error();
    if (!*running) break;
  }
  if (workers->interrupted()) return Error{Exit::interrupted, "interrupted: nothing was changed"};
  if (workers->stop_reason() != channel::StopReason::exhausted) {
    return Error{Exit::unsupported, "the runs did not come to an end: nothing was changed"};
  }
  return workers;
}

int merge_corpus(const std::string& output, const std::vector<std::string>& program) {
  Result<ManyRuns> ready = prepare_many_runs(program[0]);
  if (!ready) return fail(ready.error());
  Result<OutputFolder> folder = OutputFolder::open(output, ready->target.name);
  if (!folder) return fail(folder.error());
  Result<SharedHub> hub = create_hub();
  if (!hub) return fail(hub.error());
  const std::string corpus = folder->path() + "/corpus";
  const CorpusLoad load = load_corpus(corpus, ready->target, **hub);
  if (const std::string text = describe(load); !text.empty()) note(text);
  if (load.files.empty()) {
    fmt::print("nothing to merge in {}\n", corpus);
    return 0;
  }
  Result<Workers> workers = run_all(*ready, program, std::move(*hub));
  if (!workers) return fail(workers.error());
  const size_t removed = remove_useless(load, workers->hub());
  fmt::print("{} kept, {} removed\n", report::count(load.files.size() - removed, "schedule"),
             report::thousands(removed));
  return 0;
}

// The schedules that show a pair which none before them has. So many at a time: rff keeps 1,024.
constexpr size_t kBatch = 1000;

Result<std::vector<AbstractSchedule>> worth_keeping(const ManyRuns& ready,
                                                    const std::vector<std::string>& program,
                                                    const std::vector<AbstractSchedule>& all) {
  std::vector<AbstractSchedule> kept;
  std::vector<uint64_t> pairs;  // of the batches before
  for (size_t begin = 0; begin < all.size(); begin += kBatch) {
    const size_t end = std::min(all.size(), begin + kBatch);
    Result<SharedHub> hub = create_hub();
    if (!hub) return hub.error();
    for (const uint64_t pair : pairs) (*hub)->reads_from_pairs.insert(pair);
    for (size_t i = begin; i < end; ++i) {
      CorpusEntry* entry = (*hub)->new_entry();
      entry->worker = kFromDisk;
      entry->schedule = all[i];
      entry->ready.store(1, std::memory_order_release);
    }
    Result<Workers> workers = run_all(ready, program, std::move(*hub));
    if (!workers) return workers.error();
    for (size_t i = begin; i < end; ++i) {
      if (workers->hub().corpus[i - begin].useful.load() != 0) kept.push_back(all[i]);
    }
    pairs.clear();
    for (const auto& slot : workers->hub().reads_from_pairs.slots) {
      if (const uint64_t pair = slot.load(std::memory_order_relaxed)) pairs.push_back(pair);
    }
  }
  return kept;
}

// Which schedules are worth it depends on what runs do; we run with the usual options only.
bool has_usual_options(const CampaignDescription& description) {
  for (const auto& [name, value] : description.settings) {
    const bool changes_runs = name == "--points"         ? !value.empty()
                              : name == "--memory"       ? value != "sc"
                              : name == "--io-faults"    ? value != "no"
                              : name == "--plain-events" ? value != "no"
                              : name == "--input"        ? value != "no"
                                                         : false;
    if (changes_runs) return false;
  }
  return true;
}

int merge_campaign(const std::string& path, std::vector<std::string> program) {
  Result<CampaignFolder> folder = CampaignFolder::open(path);
  if (!folder) return fail(folder.error());
  const CampaignDescription& description = folder->description();
  if (program.empty()) {
    program = {description.path};
    program.insert(program.end(), description.arguments.begin(), description.arguments.end());
  }
  Result<ManyRuns> ready = prepare_many_runs(program[0]);
  if (!ready) return fail(ready.error());
  const std::string build = build_of(ready->target);
  CampaignView view(*folder, build);
  view.refresh();
  if (view.workers().empty()) {
    return fail(
        {Exit::program_changed,
         fmt::format("no worker of the campaign in {} has searched this build of {}: jostle "
                     "merge {} -- PROGRAM says where the other is",
                     path, program[0], path)});
  }
  Segment sum = view.sum();
  sum.schedules = view.schedules();
  const size_t before = sum.schedules.size();
  if (has_usual_options(description)) {
    Result<std::vector<AbstractSchedule>> kept = worth_keeping(*ready, program, sum.schedules);
    if (!kept) return fail(kept.error());
    sum.schedules = std::move(*kept);
  } else {
    note("the campaign has options of its own: all schedules are kept");
  }
  Result<std::string> file = write_distilled(folder->distilled(build), sum);
  if (!file) return fail(file.error());
  fmt::print("{} of {} schedules kept, {} of {}: {}\n", report::thousands(sum.schedules.size()),
             report::thousands(before), report::count(sum.pairs.size(), "pair"),
             report::count(sum.covered.size(), "worker"), report::escape(*file));
  return 0;
}

}  // namespace

int merge_command(const std::vector<std::string>& words) {
  std::string output = "jostle-out";
  CommandLine line("jostle merge", "[options] [--] program [arguments], or DIR [-- program …]",
                   "Prunes the corpus of a program, or of a campaign in a folder, to what each "
                   "schedule adds.",
                   kMergeExamples);
  line.value("-o,--output", "DIR", "where findings are kept (default jostle-out)",
             [&](const std::string& text) -> std::optional<std::string> {
               output = text;
               return std::nullopt;
             });
  if (const auto done = line.parse(words)) return *done;
  std::vector<std::string> program = line.rest();
  if (program.empty()) {
    return fail({Exit::usage, "no program given: jostle merge [options] -- program [arguments]"});
  }
  if (!CampaignFolder::is_one(program[0])) {
    std::error_code ignored;
    const bool is_folder =
        program.size() == 1 && std::filesystem::is_directory(program[0], ignored);
    if (is_folder) return fail(CampaignFolder::open(program[0]).error());
    return merge_corpus(output, program);
  }
  const std::string folder = program[0];
  program.erase(program.begin());
  if (!program.empty() && program[0] == "--") program.erase(program.begin());
  return merge_campaign(folder, std::move(program));
}

}  // namespace jostle::cli
