// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "src/cli/recording/encoding.h"
#include "src/cli/recording/replay_file.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/switch_places.h"
#include "src/report/text/event_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

// Of the run, when the campaign left it to the program.
channel::MemoryModel memory_of(const Recording& recording) {
  const channel::MemoryModel wanted = recording.config.memory;
  return wanted == channel::MemoryModel::automatic ? recording.log.memory : wanted;
}

using Json = nlohmann::ordered_json;
using report::bounded;

// A value on one line, with a space behind commas and colons as people write it.
std::string on_one_line(const Json& value) {
  if (value.is_object()) {
    std::string text = "{";
    for (const auto& [key, member] : value.items()) {
      if (text.size() > 1) text += ", ";
      text += Json(key).dump() + ": " + on_one_line(member);
    }
    return text + "}";
  }
  if (value.is_array()) {
    std::string text = "[";
    for (const Json& element : value) {
      if (text.size() > 1) text += ", ";
      text += on_one_line(element);
    }
    return text + "]";
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The members of the file one after the other; lists with an element per line.
class Writer {
 public:
  void member(std::string_view key, const Json& value) { begin(key) += on_one_line(value); }

  void object(std::string_view key, const Json& value) {
    std::string& text = begin(key);
    text += "{";
    bool first = true;
    for (const auto& [name, member] : value.items()) {
      text +=
          fmt::format("{}\n    {}: {}", first ? "" : ",", Json(name).dump(), on_one_line(member));
      first = false;
    }
    text += "\n  }";
  }

  void begin_list(std::string_view key) {
    begin(key) += "[";
    first_element_ = true;
  }
  void element(const Json& value) {
    text_ += first_element_ ? "\n    " : ",\n    ";
    text_ += on_one_line(value);
    first_element_ = false;
  }
  void end_list() { text_ += first_element_ ? "]" : "\n  ]"; }

  std::string finish() { return std::move(text_) + "\n}\n"; }

 private:
  std::string& begin(std::string_view key) {
    text_ += text_.empty() ? "{\n" : ",\n";
    text_ += fmt::format("  {}: ", Json(key).dump());
    return text_;
  }

  std::string text_;
  bool first_element_ = true;
};

Json program_json(const RecordedProgram& program) {
  Json arguments = Json::array();
  for (const std::string& argument : program.arguments) arguments.push_back(encode_bytes(argument));
  Json json = {{"path", encode_bytes(program.given)},
               {"absolute", encode_bytes(program.absolute)},
               {"args", arguments},
               {"directory", encode_bytes(program.directory)},
               {"size", program.size}};
  if (!program.build_id.empty()) json["build_id"] = program.build_id;
  if (!program.hash.empty()) json["hash"] = program.hash;
  if (!program.check.empty()) json["check"] = encode_bytes(program.check);
  if (!program.test.empty()) json["test"] = encode_bytes(program.test);
  return json;
}

Json limits_json(const channel::Config& config) {
  Json accepted = Json::array();
  for (int code = 1; code < 256; ++code) {
    if ((config.exit_codes_ok[code / 64] >> (code % 64) & 1) != 0) accepted.push_back(code);
  }
  return {{"max_steps", config.max_steps},
          {"max_events", config.max_events},
          {"timeout_ms", config.run_nanoseconds / 1'000'000},
          {"ok_exit", config.any_exit_code_ok != 0 ? Json("any") : accepted}};
}

Json input_json(const RecordedInput& input) {
  switch (input.kind) {
    case RecordedInput::Kind::nothing:
      return "none";
    case RecordedInput::Kind::inherit:
      return "inherit";
    case RecordedInput::Kind::bytes:
      break;
  }
  if (input.file.empty()) return {{"base64", to_base64(input.bytes)}};
  return {{"file", input.file}, {"hash", hash_of_bytes(input.bytes)}};
}

Json failure_json(const channel::Failure& failure, report::Symbolizer& symbols,
                  report::Names& names) {
  Json json = {{"kind", report::kind(failure)}, {"code", failure.code}};
  json["thread"] = names.path(failure.thread);
  if (auto text = bounded(failure.message); !text.empty()) {
    json["message"] = encode_bytes(std::string(text));
  }
  if (auto text = bounded(failure.file); !text.empty()) {
    json["file"] = encode_bytes(std::string(text));
  }
  if (failure.line != 0) json["line"] = failure.line;
  if (failure.outcome == channel::Outcome::race) {
    json["race"] = {symbols.where(failure.race[0]), symbols.where(failure.race[1])};
  }
  if (auto text = bounded(failure.function); !text.empty()) {
    json["function"] = encode_bytes(std::string(text));
  }
  // The run itself knows more than its end does.
  if (names.record().end.outcome == failure.outcome && report::is_failure(failure, true)) {
    json["summary"] = report::summary(names.record(), symbols, names);
  }
  return json;
}

Json thread_json(const std::vector<channel::ThreadRecord>& threads, uint32_t index,
                 report::Names& names) {
  const channel::ThreadRecord& thread = threads[index];
  const std::string path = report::spawn_path(threads, index);
  Json json = {{"name", path}};
  if (path.starts_with('#')) {
    json["parent"] = thread.parent;
    json["ordinal"] = thread.ordinal;
  }
  if (const std::string& start = names.start(index); !start.empty()) json["started"] = start;
  if (auto name = bounded(thread.name); !name.empty()) {
    json["pthread_name"] = encode_bytes(std::string(name));
  }
  return json;
}

Json segment_json(const channel::Segment& segment, const std::string& thread,
                  report::Symbolizer& symbols, const report::SwitchName& name) {
  Json json = {{"run", thread},
               {"until", segment.until},
               {"then", report::segment_end(segment)},
               {"at", report::op_name(segment.stopped_at)}};
  if (segment.location == 0) return json;
  json["where"] = symbols.where(segment.location);
  if (const uintptr_t pc = symbols.address_of(segment.location); pc != 0) {
    const report::Frame frame = symbols.line_that_matters(pc);
    if (frame.line != 0) json["source"] = report::source(frame);
  }
  if (name.known()) json["in"] = name.function;
  if (!name.line.empty()) json["line"] = name.line;
  if (name.nth != 0) json["nth"] = name.nth;
  return json;
}

Json draw_json(const channel::Draw& draw) {
  if (draw.kind == channel::DrawKind::signed_number) {
    return Json::array({draw_kind_name(draw.kind), static_cast<int64_t>(draw.low),
                        static_cast<int64_t>(draw.high), static_cast<int64_t>(draw.value)});
  }
  return Json::array({draw_kind_name(draw.kind), draw.low, draw.high, draw.value});
}

}  // namespace

std::string_view draw_kind_name(channel::DrawKind kind) {
  switch (kind) {
    case channel::DrawKind::signed_number:
      return "signed";
    case channel::DrawKind::unsigned_number:
      return "unsigned";
    case channel::DrawKind::example:
      return "example";
    case channel::DrawKind::more_operations:
      return "more-operations";
    case channel::DrawKind::more_threads:
      return "more-threads";
    case channel::DrawKind::operation:
      return "operation";
  }
  return "?";
}

std::string replay_text(const Recording& recording, report::Symbolizer& symbols,
                        report::Names& names) {
  const ScheduleLog& log = recording.log;
  Writer writer;
  writer.member("format", kReplayFormat);
  writer.member("version", kReplayVersion);
  writer.member("jostle", recording.jostle_version);
  writer.object("program", program_json(recording.program));
  writer.member("stdin", input_json(recording.input));
  writer.member("strategy", bounded(recording.config.strategy));
  writer.member("seed", recording.config.seed);
  writer.member("schedule_number", recording.schedule_number);
  writer.member("run_seed", log.seed);
  writer.member("clock_start", recording.config.clock_start);
  writer.object("limits", limits_json(recording.config));
  if (recording.config.volatile_atomic != 0) writer.member("volatile", "atomic");
  if (memory_of(recording) == channel::MemoryModel::c11) writer.member("memory", "c11");
  if (recording.config.atomic[0] != '\0') writer.member("atomic", bounded(recording.config.atomic));
  if (recording.identity != 0) {
    writer.member("identity", fmt::format("{:016x}", recording.identity));
  }
  writer.member("signature", fmt::format("{:016x}", recording.signature));
  writer.object("failure", failure_json(recording.failure, symbols, names));
  if (!recording.why.empty()) writer.member("why", recording.why);
  if (!recording.why_steps.empty()) writer.member("why_steps", recording.why_steps);
  if (!recording.passes_with.empty()) writer.member("passes_with", recording.passes_with);
  if (const auto& original = recording.original) {
    Json before = {{"preemptions", original->preemptions}, {"segments", original->segments}};
    before["minimum"] = original->is_minimum;
    if (!original->file.empty()) before["file"] = original->file;
    writer.member("minimized_from", before);
  }
  std::vector<std::string> paths;
  writer.begin_list("threads");
  for (uint32_t i = 0; i < log.threads.size(); ++i) {
    writer.element(thread_json(log.threads, i, names));
    paths.push_back(report::spawn_path(log.threads, i));
  }
  writer.end_list();
  const auto switches = report::name_switches(log.segments, names.record(), symbols);
  writer.begin_list("schedule");
  for (size_t i = 0; i < log.segments.size(); ++i) {
    const channel::Segment& segment = log.segments[i];
    const std::string thread = segment.thread < paths.size() ? paths[segment.thread] : "?";
    writer.element(segment_json(segment, thread, symbols, switches[i]));
  }
  writer.end_list();
  writer.begin_list("choices");
  for (const channel::Choice& choice : log.choices) {
    Json entry = Json::array({name(choice.kind), choice.alternatives, choice.picked});
    if (is_of_operation(choice.kind)) {
      entry.push_back(choice.thread < paths.size() ? paths[choice.thread] : "?");
      entry.push_back(choice.event);
    }
    writer.element(entry);
  }
  writer.end_list();
  if (!log.draws.empty()) {
    writer.begin_list("inputs");
    for (const channel::Draw& draw : log.draws) writer.element(draw_json(draw));
    writer.end_list();
  }
  if (!recording.values.empty()) {
    writer.begin_list("values");
    for (const std::string& value : recording.values) writer.element(encode_bytes(value));
    writer.end_list();
  }
  writer.member("digest", fmt::format("{:016x}", log.digest));
  return writer.finish();
}

}  // namespace jostle::cli
