// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "src/base/hash.h"
#include "src/cli/recording/json_reader.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/support/descriptor.h"
#include "src/report/model/failure_kinds.h"
#include "src/schedule/draw.h"

namespace jostle::cli {
namespace {

// A recording of the longest schedule there can be is smaller; more is not for us.
constexpr off_t kLargestReplayFile = off_t{1} << 30;

bool read_program(JsonReader& in, const Json& root, RecordedProgram& program) {
  const Json* json = nullptr;
  const std::string where = "program";
  if (!in.object(root, "", "program", json) || !in.text(*json, where, "path", program.given) ||
      !in.text(*json, where, "absolute", program.absolute) ||
      !in.text(*json, where, "directory", program.directory) ||
      !in.text(*json, where, "build_id", program.build_id, true) ||
      !in.text(*json, where, "hash", program.hash, true) ||
      !in.text(*json, where, "check", program.check, true) ||
      !in.text(*json, where, "test", program.test, true) ||
      !in.number(*json, where, "size", program.size)) {
    return false;
  }
  if (program.build_id.empty() && program.hash.empty()) {
    return in.fail(where, "neither build_id nor hash");
  }
  const Json* arguments = in.member(*json, where, "args");
  if (arguments == nullptr) return false;
  if (!arguments->is_array()) return in.fail("program.args", "expected a list");
  for (const Json& argument : *arguments) {
    const auto text = decode_bytes(argument);
    if (!text || text->find('\0') != std::string::npos) {
      return in.fail(fmt::format("program.args[{}]", program.arguments.size()), "expected a text");
    }
    program.arguments.push_back(*text);
  }
  return true;
}

bool read_input(JsonReader& in, const Json& root, RecordedInput& input) {
  const Json* json = in.member(root, "", "stdin");
  if (json == nullptr) return false;
  if (*json == "none") {
    input.kind = RecordedInput::Kind::nothing;
  } else if (*json == "inherit") {
    input.kind = RecordedInput::Kind::inherit;
  } else if (const auto bytes = decode_bytes(*json); bytes && json->is_object()) {
    input = {RecordedInput::Kind::bytes, *bytes};
  } else if (json->is_object()) {
    input.kind = RecordedInput::Kind::bytes;
    if (!in.text(*json, "stdin", "file", input.file) ||
        !in.text(*json, "stdin", "hash", input.hash)) {
      return false;
    }
    // Next to the replay file and nowhere else.
    if (input.file.empty() || input.file.find('/') != std::string::npos) {
      return in.fail("stdin.file", "expected a plain file name");
    }
  } else {
    return in.fail("stdin", "expected \"none\", \"inherit\", base64 or a file");
  }
  return true;
}

bool read_limits(JsonReader& in, const Json& root, channel::Config& config) {
  const Json* json = nullptr;
  uint64_t timeout = 0;
  constexpr uint64_t kLongest = std::numeric_limits<int64_t>::max() / 1'000'000;
  if (!in.object(root, "", "limits", json) ||
      !in.number(*json, "limits", "max_steps", config.max_steps) ||
      !in.number(*json, "limits", "max_events", config.max_events) ||
      !in.number(*json, "limits", "timeout_ms", timeout, kLongest)) {
    return false;
  }
  config.run_nanoseconds = timeout * 1'000'000;
  const Json* accepted = in.member(*json, "limits", "ok_exit");
  if (accepted == nullptr) return false;
  if (*accepted == "any") {
    config.any_exit_code_ok = 1;
    return true;
  }
  if (!accepted->is_array()) return in.fail("limits.ok_exit", "expected a list or \"any\"");
  for (const Json& entry : *accepted) {
    uint32_t code = 0;
    if (!in.number(entry, "limits.ok_exit", code, uint32_t{255})) return false;
    config.exit_codes_ok[code / 64] |= uint64_t{1} << (code % 64);
  }
  return true;
}

using ThreadIndex = std::unordered_map<std::string, uint32_t>;

// Parent and ordinal of a spawn path: "0.1.2" is child 2 of "0.1".
bool read_spawn_path(JsonReader& in, const std::string& where, const std::string& path,
                     const ThreadIndex& known, channel::ThreadRecord& thread) {
  const size_t dot = path.rfind('.');
  const auto parent = known.find(path.substr(0, dot));
  if (dot == std::string::npos) return in.fail(where, "expected a name like 0.1");
  if (parent == known.end()) return in.fail(where, "its parent is not listed before it");
  const char* end = path.data() + path.size();
  const auto [stopped, error] = std::from_chars(path.data() + dot + 1, end, thread.ordinal);
  if (error != std::errc() || stopped != end) return in.fail(where, "expected a name like 0.1");
  thread.parent = parent->second;
  return true;
}

// What the minimiser noted. Nothing depends on it: what does not look right is left out.
bool read_notes(const Json& root, Recording& recording) {
  if (root.contains("why") && root["why"].is_string()) recording.why = root["why"];
  if (root.contains("why_steps") && root["why_steps"].is_array()) {
    for (const Json& step : root["why_steps"]) {
      if (step.is_number_unsigned() && step <= UINT32_MAX) recording.why_steps.push_back(step);
    }
  }
  if (root.contains("passes_with") && root["passes_with"].is_string()) {
    recording.passes_with = root["passes_with"];
  }
  if (!root.contains("minimized_from") || !root["minimized_from"].is_object()) return true;
  const Json& from = root["minimized_from"];
  const auto number = [&](const char* key) {
    return from.contains(key) && from[key].is_number_unsigned() ? from[key].get<uint64_t>() : 0;
  };
  recording.original = {number("preemptions"), number("segments"),
                        from.contains("minimum") && from["minimum"] == true};
  if (from.contains("file") && from["file"].is_string()) recording.original->file = from["file"];
  return true;
}

bool read_threads(JsonReader& in, const Json& root, Recording& recording, ThreadIndex& known) {
  ScheduleLog& log = recording.log;
  const Json* json = nullptr;
  if (!in.list(root, "threads", channel::kMaxThreads, json)) return false;
  for (const Json& entry : *json) {
    const auto index = static_cast<uint32_t>(log.threads.size());
    const std::string where = fmt::format("threads[{}]", index);
    if (!entry.is_object()) return in.fail(where, "expected an object");
    std::string path;
    channel::ThreadRecord thread{};
    if (!in.text(entry, where, "name", path) ||
        !in.text(entry, where, "pthread_name", thread.name, true) ||
        !in.text(entry, where, "started", recording.starts.emplace_back(), true)) {
      return false;
    }
    if (index == 0) {
      if (path != "0") return in.fail(where, "the first thread must be 0, the main thread");
    } else if (path.starts_with('#')) {
      if (!in.number(entry, where, "parent", thread.parent, index - 1) ||
          !in.number(entry, where, "ordinal", thread.ordinal)) {
        return false;
      }
    } else if (!read_spawn_path(in, where, path, known, thread)) {
      return false;
    }
    if (!known.emplace(path, index).second) {
      return in.fail(where, fmt::format("thread {} is listed twice", path));
    }
    log.threads.push_back(thread);
  }
  return !log.threads.empty() || in.fail("threads", "is empty");
}

// "prog+0x1234" to what the runtime makes of it: see code_location in the runtime.
bool read_location(const std::string& text, channel::CodeLocation& location) {
  const size_t plus = text.rfind("+0x");
  if (plus == std::string::npos) return false;
  uint64_t offset = 0, hash = 0;
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data() + plus + 3, end, offset, 16);
  if (error != std::errc() || stopped != end || offset >> 48 != 0) return false;
  if (text.starts_with('?')) {
    const auto parsed = std::from_chars(text.data() + 1, text.data() + plus, hash, 16);
    if (parsed.ec != std::errc() || hash > 0xFFFF) return false;
  } else {
    hash = fnv1a(text.data(), plus) & 0xFFFF;
  }
  location = hash << 48 | offset;
  return true;
}

bool read_segment(JsonReader& in, const Json& entry, const std::string& where,
                  const ThreadIndex& known, channel::Segment& segment) {
  if (!entry.is_object()) return in.fail(where, "expected an object");
  std::string thread, then, at, place;
  if (!in.text(entry, where, "run", thread) || !in.number(entry, where, "until", segment.until) ||
      !in.text(entry, where, "then", then) || !in.text(entry, where, "at", at) ||
      !in.text(entry, where, "where", place, true)) {
    return false;
  }
  const auto found = known.find(thread);
  if (found == known.end()) return in.fail(where + ".run", "no thread " + thread + " is listed");
  segment.thread = found->second;
  if (then != "preempted" && then != "blocked" && then != "ended" && then != "gave way" &&
      then != "time passed") {
    return in.fail(where + ".then", "expected preempted, blocked, gave way, time passed or ended");
  }
  segment.forced = then == "preempted"     ? channel::kPreempted
                   : then == "gave way"    ? channel::kGaveWay
                   : then == "time passed" ? channel::kTimePassed
                                           : channel::kForced;
  segment.stopped_at = op_kind_from_name(at);
  if (segment.stopped_at == OpKind::none && at != name(OpKind::none)) {
    return in.fail(where + ".at", "no operation is called " + at);
  }
  return place.empty() || read_location(place, segment.location) ||
         in.fail(where + ".where", "expected module+0xoffset");
}

bool read_switch_name(JsonReader& in, const Json& entry, const std::string& where,
                      report::SwitchName& name) {
  return in.text(entry, where, "in", name.function, true) &&
         in.text(entry, where, "line", name.line, true) &&
         (!entry.contains("nth") || in.number(entry, where, "nth", name.nth));
}

// Of memory: at which event of which thread.
bool read_operation_of_choice(JsonReader& in, const Json& entry, const std::string& where,
                              const ThreadIndex& known, channel::Choice& choice) {
  if (entry.size() != 5 || !entry[3].is_string()) {
    return in.fail(where, "expected [kind, alternatives, picked, thread, event]");
  }
  const auto found = known.find(entry[3].get<std::string>());
  if (found == known.end()) {
    return in.fail(where, "no thread " + entry[3].get<std::string>() + " is listed");
  }
  choice.thread = found->second;
  return in.number(entry[4], where, choice.event);
}

bool read_choice(JsonReader& in, const Json& entry, const std::string& where,
                 const ThreadIndex& known, channel::Choice& choice) {
  if (!entry.is_array() || (entry.size() != 3 && entry.size() != 5) || !entry[0].is_string()) {
    return in.fail(where, "expected [kind, alternatives, picked]");
  }
  const auto kind = entry[0].get<std::string>();
  uint8_t value = 0;
  while (name(static_cast<ChoiceKind>(value)) != kind) {
    if (name(static_cast<ChoiceKind>(value++)) == "?") {
      return in.fail(where, "no choice is called " + kind);
    }
  }
  choice.kind = static_cast<ChoiceKind>(value);
  if (!in.number(entry[1], where, choice.alternatives)) return false;
  if (choice.alternatives == 0) return in.fail(where, "no alternatives");
  if (!in.number(entry[2], where, choice.picked, choice.alternatives - 1)) return false;
  choice.thread = 0;
  choice.event = 0;
  if (is_of_operation(choice.kind))
    return read_operation_of_choice(in, entry, where, known, choice);
  return entry.size() == 3 || in.fail(where, "expected [kind, alternatives, picked]");
}

// A whole number of the draw's kind, as the channel has it.
bool read_drawn(const Json& json, channel::DrawKind kind, uint64_t& value) {
  if (kind == channel::DrawKind::signed_number) {
    if (!json.is_number_integer() ||
        (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX})) {
      return false;
    }
    value = static_cast<uint64_t>(json.get<int64_t>());
    return true;
  }
  if (!json.is_number_unsigned()) return false;
  value = json.get<uint64_t>();
  return true;
}

bool read_draw(JsonReader& in, const Json& entry, const std::string& where, channel::Draw& draw) {
  if (!entry.is_array() || entry.size() != 4 || !entry[0].is_string()) {
    return in.fail(where, "expected [kind, low, high, value]");
  }
  const auto kind = entry[0].get<std::string>();
  bool known = false;
  for (const auto candidate : {channel::DrawKind::signed_number, channel::DrawKind::unsigned_number,
                               channel::DrawKind::example, channel::DrawKind::more_operations,
                               channel::DrawKind::more_threads, channel::DrawKind::operation}) {
    if (draw_kind_name(candidate) != kind) continue;
    draw.kind = candidate;
    known = true;
  }
  if (!known) return in.fail(where, "no draw is called " + kind);
  if (!read_drawn(entry[1], draw.kind, draw.low) || !read_drawn(entry[2], draw.kind, draw.high) ||
      !read_drawn(entry[3], draw.kind, draw.value)) {
    return in.fail(where, "expected whole numbers");
  }
  return fits(draw, draw.value) || in.fail(where, "the value is not in its range");
}

// Only what draws has them.
bool read_inputs(JsonReader& in, const Json& root, ScheduleLog& log) {
  if (!root.contains("inputs")) return true;
  const Json* json = nullptr;
  if (!in.list(root, "inputs", channel::kMaxDraws, json)) return false;
  for (const Json& entry : *json) {
    const std::string where = fmt::format("inputs[{}]", log.draws.size());
    if (!read_draw(in, entry, where, log.draws.emplace_back())) return false;
  }
  return true;
}

bool read_schedule(JsonReader& in, const Json& root, Recording& recording,
                   const ThreadIndex& known) {
  ScheduleLog& log = recording.log;
  const Json* json = nullptr;
  if (!in.list(root, "schedule", channel::kMaxSegments, json)) return false;
  for (const Json& entry : *json) {
    const std::string where = fmt::format("schedule[{}]", log.segments.size());
    if (!read_segment(in, entry, where, known, log.segments.emplace_back()) ||
        !read_switch_name(in, entry, where, recording.switches.emplace_back())) {
      return false;
    }
  }
  if (!in.list(root, "choices", channel::kMaxChoices, json)) return false;
  for (const Json& entry : *json) {
    const std::string where = fmt::format("choices[{}]", log.choices.size());
    if (!read_choice(in, entry, where, known, log.choices.emplace_back())) return false;
  }
  if (!read_inputs(in, root, log)) return false;
  return in.hex(root, "digest", log.digest) && in.number(root, "", "run_seed", log.seed);
}

bool read_failure(JsonReader& in, const Json& root, const ThreadIndex& known,
                  Recording& recording) {
  channel::Failure& failure = recording.failure;
  const Json* json = nullptr;
  const std::string where = "failure";
  std::string kind, thread;
  if (!in.object(root, "", "failure", json) || !in.text(*json, where, "kind", kind) ||
      !in.number(*json, where, "code", failure.code) || !in.text(*json, where, "thread", thread) ||
      !in.text(*json, where, "message", failure.message, true) ||
      !in.text(*json, where, "file", failure.file, true) ||
      !in.text(*json, where, "function", failure.function, true) ||
      !in.text(*json, where, "summary", recording.summary, true)) {
    return false;
  }
  if (json->contains("line") && !in.number(*json, where, "line", failure.line)) return false;
  if (!report::outcome_from_kind(kind, failure.outcome)) {
    return in.fail("failure.kind", "no failure is called " + kind);
  }
  if (failure.outcome == channel::Outcome::race) {
    const Json* places = in.member(*json, where, "race");
    if (places == nullptr) return false;
    const bool two = places->is_array() && places->size() == 2;
    for (size_t i = 0; i < 2; ++i) {
      if (!two || !(*places)[i].is_string() ||
          !read_location((*places)[i].get<std::string>(), failure.race[i])) {
        return in.fail("failure.race", "expected two places like module+0xoffset");
      }
    }
  }
  const auto found = known.find(thread);
  if (found == known.end()) return in.fail("failure.thread", "no thread " + thread + " is listed");
  failure.thread = found->second;
  return true;
}

bool read_volatile(JsonReader& in, const Json& root, channel::Config& config) {
  std::string meaning = "plain";
  if (!in.text(root, "", "volatile", meaning, true)) return false;
  if (meaning != "plain" && meaning != "atomic") return in.fail("volatile", "expected \"atomic\"");
  config.volatile_atomic = meaning == "atomic" ? 1 : 0;
  return true;
}

bool read_memory_model(JsonReader& in, const Json& root, Recording& recording) {
  std::string model = "sc";
  if (!in.text(root, "", "memory", model, true)) return false;
  if (model != "sc" && model != "c11") return in.fail("memory", "expected \"sc\" or \"c11\"");
  recording.config.memory =
      model == "c11" ? channel::MemoryModel::c11 : channel::MemoryModel::sequential;
  recording.log.memory = recording.config.memory;
  return true;
}

// Patterns of functions that are to look atomic, one a line.
bool read_atomic(JsonReader& in, const Json& root, channel::Config& config) {
  std::string patterns;
  if (!in.text(root, "", "atomic", patterns, true)) return false;
  if (patterns.size() >= sizeof config.atomic) return in.fail("atomic", "too long");
  std::ranges::copy(patterns, config.atomic);
  config.atomic[patterns.size()] = '\0';
  return true;
}

bool read_recording(JsonReader& in, const Json& root, Recording& recording) {
  ThreadIndex known;
  channel::Config& config = recording.config;
  return in.text(root, "", "jostle", recording.jostle_version) &&
         read_program(in, root, recording.program) && read_input(in, root, recording.input) &&
         in.text(root, "", "strategy", config.strategy) &&
         in.number(root, "", "seed", config.seed) &&
         in.number(root, "", "schedule_number", recording.schedule_number) &&
         in.number(root, "", "clock_start", config.clock_start) && read_limits(in, root, config) &&
         in.hex(root, "signature", recording.signature) &&
         (!root.contains("identity") || in.hex(root, "identity", recording.identity)) &&
         read_threads(in, root, recording, known) && read_schedule(in, root, recording, known) &&
         read_failure(in, root, known, recording) && read_volatile(in, root, config) &&
         read_memory_model(in, root, recording) && read_atomic(in, root, config) &&
         read_notes(root, recording);
}

Error not_json(const std::string& text, const std::string& name, const Json::parse_error& error) {
  const size_t at = std::min(error.byte, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return {Exit::replay_invalid, fmt::format("{} is empty: record the run again", name)};
  }
  if (text[text.find_first_not_of(" \t\r\n")] != '{') {
    return {Exit::replay_invalid,
            fmt::format("{} is not a replay file: give the replay.json of a finding", name)};
  }
  if (error.byte >= text.size()) {
    return {Exit::replay_invalid,
            fmt::format("{} is truncated (ends in line {}): record the run again", name, line)};
  }
  return {Exit::replay_invalid,
          fmt::format("{}:{}: not valid JSON: undo the edit, or record the run again", name, line)};
}

MaybeError check_format(const Json& root, const std::string& name) {
  if (!root.is_object() || !root.contains("format") || root["format"] != kReplayFormat) {
    return Error{Exit::replay_invalid,
                 fmt::format("{} is not a replay file: give the replay.json of a finding", name)};
  }
  if (!root.contains("version") || !root["version"].is_number_integer()) {
    return Error{Exit::replay_invalid, fmt::format("{}: version: expected a whole number", name)};
  }
  if (root["version"].is_number_unsigned() &&
      root["version"].get<uint64_t>() > uint64_t{kReplayVersion}) {
    return Error{Exit::replay_newer,
                 fmt::format("{} was written by a newer jostle (format {}, this one reads {}): "
                             "update jostle",
                             name, root["version"].get<uint64_t>(), kReplayVersion)};
  }
  if (root["version"] != kReplayVersion) {
    return Error{Exit::replay_invalid, fmt::format("{}: version: no such version", name)};
  }
  return std::nullopt;
}

Result<std::string> read_whole_file(const std::string& path) {
  const auto unreadable = [&](const char* why) {
    return Error{Exit::replay_unreadable, fmt::format("cannot read {}: {}", path, why)};
  };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!file.valid() || fstat(file.get(), &info) != 0) return unreadable(std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return unreadable("not a regular file");
  if (info.st_size > kLargestReplayFile) {
    return Error{
        Exit::replay_invalid,
        fmt::format("{} is larger than any replay file: give the replay.json of a finding", path)};
  }
  std::string text(static_cast<size_t>(info.st_size), '\0');
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = read(file.get(), text.data() + have, text.size() - have);
    if (n < 0 && errno != EINTR) return unreadable(std::strerror(errno));
    if (n == 0) break;
    if (n > 0) have += static_cast<size_t>(n);
  }
  text.resize(have);
  return text;
}

}  // namespace

Result<Recording> parse_replay(const std::string& text, const std::string& name) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return not_json(text, name, error);
  } catch (const Json::exception&) {  // numbers beyond all ranges
    return Error{Exit::replay_invalid, fmt::format("{}: not valid JSON", name)};
  }
  if (MaybeError error = check_format(root, name)) return *error;
  JsonReader reader;
  Recording recording;
  if (!read_recording(reader, root, recording)) {
    return Error{
        Exit::replay_invalid,
        fmt::format("{}: {} (undo the edit, or record the run again)", name, reader.problem())};
  }
  return recording;
}

Result<Recording> load_replay_file(const std::string& path) {
  struct stat info;
  const bool is_folder = stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  const std::string file = is_folder ? path + "/" + kReplayFileName : path;
  Result<std::string> text = read_whole_file(file);
  if (!text) return text.error();
  Result<Recording> recording = parse_replay(*text, file);
  if (!recording || recording->input.file.empty()) return recording;
  const size_t slash = file.rfind('/');
  RecordedInput& input = recording->input;
  Result<std::string> bytes =
      read_whole_file((slash == file.npos ? "" : file.substr(0, slash + 1)) + input.file);
  if (!bytes) return bytes.error();
  if (hash_of_bytes(*bytes) != input.hash) {
    return Error{Exit::replay_invalid,
                 fmt::format("{}: its standard input ({}) has changed since the recording: record "
                             "the run again",
                             file, input.file)};
  }
  input.bytes = std::move(*bytes);
  return recording;
}

}  // namespace jostle::cli
