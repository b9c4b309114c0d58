// SPDX-License-Identifier: Apache-2.0
#include "src/cli/recording/replay_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "src/base/hash.h"
#include "src/cli/target/shared_channel.h"
#include "src/report/words/record_view.h"

namespace jostle::cli {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

template <size_t N>
void set(char (&field)[N], std::string_view text) {
  ASSERT_LT(text.size(), N);
  std::copy(text.begin(), text.end(), field);
}

channel::CodeLocation location(std::string_view module, uint64_t offset) {
  return (fnv1a(module.data(), module.size()) & 0xFFFF) << 48 | offset;
}

Recording example() {
  Recording r;
  r.jostle_version = "0.1.0";
  r.program = {"./bank", "/src/bank", {"--fast", "\xff raw", "with \"quotes\""}, "/src", "abcd",
               "",       4711};
  r.input = {RecordedInput::Kind::bytes, std::string("in\0put", 6)};
  r.config = default_config(channel::Mode::fuzz);
  set_strategy(r.config, "pos");
  r.config.seed = UINT64_MAX;
  r.config.max_steps = 1'000'000;
  r.config.run_nanoseconds = 10'000'000'000;
  r.config.exit_codes_ok[0] = 1 << 3;
  r.schedule_number = 1872;
  r.signature = 0x5d0c1f0000000001;
  r.failure.outcome = channel::Outcome::assertion;
  r.failure.code = 6;
  r.failure.thread = 2;
  r.failure.line = 41;
  set(r.failure.message, "total == 300");
  set(r.failure.file, "bank.cc");
  set(r.failure.function, "void audit()");
  r.log.seed = 99;
  r.log.digest = 0xfedcba9876543210;
  r.log.threads = {{0, 0, 0, 0, "", 0}, {0, 0, 0, 0, "worker", 0}, {1, 3, 0, 0, "", 0}};
  r.log.segments = {
      {0, OpKind::thread_join, 1, 0, 12, location("bank", 0x1234)},
      {1, OpKind::write, 0, 0, 57, location("bank", 0x99)},
      {2, OpKind::thread_exit, 1, 0, UINT64_MAX, 0},
  };
  r.log.choices = {{ChoiceKind::time, {}, 2, 0, 0, 0}, {ChoiceKind::wake, {}, 3, 2, 0, 0}};
  return r;
}

// … of a property.
Recording property_example() {
  Recording r = example();
  r.program.check = "transfers keep the sum#2";
  r.log.draws = {
      {channel::DrawKind::signed_number,
       {},
       static_cast<uint64_t>(INT64_MIN),
       INT64_MAX,
       static_cast<uint64_t>(int64_t{-7})},
      {channel::DrawKind::unsigned_number, {}, 0, UINT64_MAX, UINT64_MAX},
      {channel::DrawKind::example, {}, 0, 3, 2},
  };
  r.values = {"amount = -7", "text = \"a\\n\""};
  return r;
}

class ReplayFile : public testing::Test {
 protected:
  ReplayFile() : channel_(std::move(*create_channel())) {}

  std::string text(const Recording& recording) {
    // The file takes thread names from the recorded run.
    store_schedule(recording.log, channel_->record.schedule);
    set(channel_->modules[0].path, "/src/bank");
    channel_->modules[0].name_hash = fnv1a("bank", 4) & 0xFFFF;
    channel_->status.module_count = 1;
    report::Symbolizer symbols(report::modules(*channel_));
    report::Names names(channel_->record, symbols);
    return replay_text(recording, symbols, names);
  }

  Error error_of(const std::string& text) {
    Result<Recording> result = parse_replay(text, "r.json");
    return result ? Error{Exit::ok, "parsed"} : result.error();
  }

  // The example's file with one change.
  template <typename F>
  Error error_after(F&& change) {
    Json json = Json::parse(text(example()));
    change(json);
    return error_of(json.dump());
  }

  SharedChannel channel_;
};

TEST_F(ReplayFile, NamesOfPlacesAreReadWhereTheyAre) {
  Json json = Json::parse(text(example()));
  json["schedule"][1]["in"] = "transfer";
  json["schedule"][1]["line"] = "from.balance -= 50;";
  json["schedule"][1]["nth"] = 3;
  json["threads"][2]["started"] = "audit";
  json["failure"]["summary"] = "assertion `total == 300' in audit";
  Result<Recording> loaded = parse_replay(json.dump(), "r.json");
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->switches.size(), 3u);
  EXPECT_FALSE(loaded->switches[0].known());
  EXPECT_EQ(loaded->switches[1].function, "transfer");
  EXPECT_EQ(loaded->switches[1].line, "from.balance -= 50;");
  EXPECT_EQ(loaded->switches[1].nth, 3u);
  EXPECT_THAT(loaded->starts, testing::ElementsAre("", "worker", "audit"));
  EXPECT_EQ(loaded->summary, "assertion `total == 300' in audit");
}

TEST_F(ReplayFile, NamesOfPlacesHaveToBeNames) {
  const auto wrong = [&](const char* key, const Json& value) {
    return error_after([&](Json& json) { json["schedule"][1][key] = value; }).message;
  };
  EXPECT_THAT(wrong("in", 5), HasSubstr("schedule[1].in: expected a text"));
  EXPECT_THAT(wrong("line", Json::array()), HasSubstr("schedule[1].line: expected a text"));
  EXPECT_THAT(wrong("nth", -1), HasSubstr("schedule[1].nth: is negative"));
}

TEST_F(ReplayFile, TheInputComesBackAsItWas) {
  const Recording r = property_example();
  Result<Recording> loaded = parse_replay(text(r), "r.json");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->program.check, r.program.check);
  ASSERT_EQ(loaded->log.draws.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(loaded->log.draws[i].kind, r.log.draws[i].kind);
    EXPECT_EQ(loaded->log.draws[i].low, r.log.draws[i].low);
    EXPECT_EQ(loaded->log.draws[i].high, r.log.draws[i].high);
    EXPECT_EQ(loaded->log.draws[i].value, r.log.draws[i].value);
  }
}

TEST_F(ReplayFile, AnInputThatCannotBeIsRefused) {
  const auto error_with = [&](const char* inputs) {
    return error_after([&](Json& json) { json["inputs"] = Json::parse(inputs); }).message;
  };
  EXPECT_THAT(error_with(R"([["signed", 0, 9, 10]])"), HasSubstr("inputs[0]: the value is not in"));
  EXPECT_THAT(error_with(R"([["unsigned", 0, 9, -1]])"), HasSubstr("expected whole numbers"));
  EXPECT_THAT(error_with(R"([["signed", 0, 9, 1], ["odd", 0, 9, 1]])"),
              HasSubstr("inputs[1]: no draw is called odd"));
  EXPECT_THAT(error_with(R"([[0, 9, 1]])"), HasSubstr("expected [kind, low, high, value]"));
  EXPECT_THAT(error_with(R"({"a": 1})"), HasSubstr("inputs"));
}

TEST_F(ReplayFile, ComesBackAsItWas) {
  const Recording r = example();
  Result<Recording> loaded = parse_replay(text(r), "r.json");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Recording& back = *loaded;
  EXPECT_EQ(back.program.given, r.program.given);
  EXPECT_EQ(back.program.arguments, r.program.arguments);
  EXPECT_EQ(back.program.build_id, "abcd");
  EXPECT_EQ(back.input.bytes, r.input.bytes);
  EXPECT_STREQ(back.config.strategy, "pos");
  EXPECT_EQ(back.config.seed, UINT64_MAX);
  EXPECT_EQ(back.config.run_nanoseconds, r.config.run_nanoseconds);
  EXPECT_EQ(back.config.exit_codes_ok[0], r.config.exit_codes_ok[0]);
  EXPECT_EQ(back.config.clock_start, r.config.clock_start);
  EXPECT_EQ(back.signature, r.signature);
  EXPECT_EQ(back.failure.outcome, r.failure.outcome);
  EXPECT_STREQ(back.failure.message, r.failure.message);
  EXPECT_EQ(back.failure.thread, 2u);
  EXPECT_EQ(back.log.digest, r.log.digest);
  ASSERT_EQ(back.log.threads.size(), 3u);
  EXPECT_EQ(back.log.threads[2].parent, 1u);
  EXPECT_EQ(back.log.threads[2].ordinal, 3u);
  EXPECT_STREQ(back.log.threads[1].name, "worker");
  ASSERT_EQ(back.log.segments.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.log.segments[i].thread, r.log.segments[i].thread);
    EXPECT_EQ(back.log.segments[i].until, r.log.segments[i].until);
    EXPECT_EQ(back.log.segments[i].stopped_at, r.log.segments[i].stopped_at);
    EXPECT_EQ(back.log.segments[i].forced, r.log.segments[i].forced);
    EXPECT_EQ(back.log.segments[i].location, r.log.segments[i].location);
  }
  ASSERT_EQ(back.log.choices.size(), 2u);
  EXPECT_EQ(back.log.choices[1].kind, ChoiceKind::wake);
  EXPECT_EQ(back.log.choices[1].picked, 2u);
}

TEST_F(ReplayFile, KeepsWhatVolatileMeans) {
  Recording r = example();
  EXPECT_THAT(text(r), Not(HasSubstr("volatile")));
  r.config.volatile_atomic = 1;
  Result<Recording> loaded = parse_replay(text(r), "r.json");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.volatile_atomic, 1u);
  EXPECT_THAT(error_after([](Json& json) { json["volatile"] = "odd"; }).message,
              HasSubstr("r.json: volatile: expected \"atomic\""));
}

TEST_F(ReplayFile, KeepsTheMemoryModelAndWhatWasReadByIt) {
  Recording r = example();
  EXPECT_THAT(text(r), Not(HasSubstr("\"memory\"")));
  r.config.memory = channel::MemoryModel::c11;
  r.log.choices.push_back({ChoiceKind::stale, {}, 4, 3, 2, 17});
  EXPECT_THAT(text(r), HasSubstr("[\"stale\", 4, 3, \"0.0.3\", 17]"));
  Result<Recording> loaded = parse_replay(text(r), "r.json");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.memory, channel::MemoryModel::c11);
  ASSERT_EQ(loaded->log.choices.size(), 3u);
  EXPECT_EQ(loaded->log.choices[2].kind, ChoiceKind::stale);
  EXPECT_EQ(loaded->log.choices[2].picked, 3u);
  EXPECT_EQ(loaded->log.choices[2].thread, 2u);
  EXPECT_EQ(loaded->log.choices[2].event, 17u);
  EXPECT_THAT(error_after([](Json& json) { json["memory"] = "tso"; }).message,
              HasSubstr("r.json: memory: expected \"sc\" or \"c11\""));
  const auto with_choice = [this](const Json& choice) {
    return error_after([&](Json& json) { json["choices"].push_back(choice); }).message;
  };
  EXPECT_THAT(with_choice(Json::array({"stale", 4, 3})), HasSubstr("thread, event]"));
  EXPECT_THAT(with_choice(Json::array({"stale", 4, 4, "0", 1})), HasSubstr("choices[2]"));
  EXPECT_THAT(with_choice(Json::array({"stale", 4, 3, "0.7", 1})), HasSubstr("no thread 0.7"));
  EXPECT_THAT(with_choice(Json::array({"stale", 4, 3, "0", "x"})), HasSubstr("choices[2]"));
  EXPECT_THAT(with_choice(Json::array({"wake", 4, 3, "0", 1})), HasSubstr("choices[2]"));
}

// The campaign left it to the program: the file has what the run had.
TEST_F(ReplayFile, KeepsTheMemoryModelOfTheRun) {
  for (const auto memory : {channel::MemoryModel::sequential, channel::MemoryModel::c11}) {
    Recording r = example();
    r.config.memory = channel::MemoryModel::automatic;
    r.log.memory = memory;
    const Result<Recording> loaded = parse_replay(text(r), "r.json");
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->config.memory, memory);
    EXPECT_EQ(loaded->log.memory, memory);
  }
}

TEST_F(ReplayFile, IsReadableLineByLine) {
  const std::string file = text(example());
  EXPECT_THAT(file, HasSubstr("    {\"run\": \"0.0\", \"until\": 57, \"then\": \"preempted\", "
                              "\"at\": \"write\", \"where\": \"bank+0x99\"},\n"));
  EXPECT_THAT(file, HasSubstr("    {\"name\": \"0.0.3\"}\n"));
  EXPECT_THAT(file, HasSubstr("    [\"time\", 2, 0],\n"));
}

TEST_F(ReplayFile, VeryDeepThreadsKeepShortNames) {
  Recording r = example();
  r.log.threads = {{0, 0, 0, 0, "", 0}};
  for (uint32_t i = 1; i < 2000; ++i) r.log.threads.push_back({i - 1, 0, 0, 0, "", 0});
  const std::string file = text(r);
  EXPECT_LT(file.size(), 300'000u);
  Result<Recording> loaded = parse_replay(file, "r.json");
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->log.threads.size(), 2000u);
  EXPECT_EQ(loaded->log.threads[1999].parent, 1998u);
}

TEST_F(ReplayFile, EveryTruncationIsRefused) {
  const std::string file = text(example());
  for (size_t length = 0; length + 2 < file.size(); length += 7) {
    EXPECT_EQ(error_of(file.substr(0, length)).code, Exit::replay_invalid) << length;
  }
  EXPECT_THAT(error_of(file.substr(0, file.size() / 2)).message, HasSubstr("is truncated"));
}

TEST_F(ReplayFile, ForeignFilesAreRefused) {
  for (const char* text : {"hello", "[]", "{}", "42", "\"jostle-replay\"", "{\"format\":\"other\"}",
                           "\x7f"
                           "ELF",
                           "{\"format\":[],\"version\":1}"}) {
    EXPECT_EQ(error_of(text).code, Exit::replay_invalid) << text;
  }
  EXPECT_THAT(error_of("{\"format\":\"other\"}").message, HasSubstr("is not a replay file"));
}

TEST_F(ReplayFile, NewerVersionsSaySo) {
  const Error error = error_after([](Json& j) { j["version"] = 2; });
  EXPECT_EQ(error.code, Exit::replay_newer);
  EXPECT_THAT(error.message, HasSubstr("update jostle"));
  EXPECT_EQ(error_after([](Json& j) { j["version"] = 0; }).code, Exit::replay_invalid);
  EXPECT_EQ(error_after([](Json& j) { j["version"] = "1"; }).code, Exit::replay_invalid);
}

TEST_F(ReplayFile, EditsOutOfShapeAreNamed) {
  const struct {
    std::function<void(Json&)> change;
    const char* says;
  } cases[] = {
      {[](Json& j) { j.erase("schedule"); }, "schedule: missing"},
      {[](Json& j) { j["schedule"] = 1; }, "schedule: expected a list"},
      {[](Json& j) { j["schedule"][1] = 1; }, "schedule[1]: expected an object"},
      {[](Json& j) { j["schedule"][1]["run"] = "0.7"; }, "schedule[1].run: no thread 0.7"},
      {[](Json& j) { j["schedule"][1]["until"] = -1; }, "schedule[1].until: is negative"},
      {[](Json& j) { j["schedule"][1]["until"] = 1.5; }, "expected a whole number"},
      {[](Json& j) { j["schedule"][1]["until"] = 1e300; }, "expected a whole number"},
      {[](Json& j) { j["schedule"][1]["then"] = "gone"; }, "schedule[1].then"},
      {[](Json& j) { j["schedule"][1]["at"] = "dance"; }, "no operation is called dance"},
      {[](Json& j) { j["schedule"][1]["where"] = "bank"; }, "schedule[1].where"},
      {[](Json& j) { j["schedule"][1]["where"] = "b+0xfffffffffffffffff"; }, "schedule[1].where"},
      {[](Json& j) { j["threads"] = Json::array(); }, "threads: is empty"},
      {[](Json& j) { j["threads"][0]["name"] = "1"; }, "threads[0]"},
      {[](Json& j) { j["threads"][2]["name"] = "0.9.3"; }, "its parent is not listed"},
      {[](Json& j) { j["threads"][2]["name"] = "0.0"; }, "listed twice"},
      {[](Json& j) { j["threads"][2]["name"] = "0.0.x"; }, "expected a name like 0.1"},
      {[](Json& j) {
         j["threads"][2] = {{"name", "#2"}, {"parent", 2}, {"ordinal", 0}};
       },
       "threads[2].parent: is out of range"},
      {[](Json& j) { j["threads"][1]["pthread_name"] = std::string(99, 'x'); }, "is too long"},
      {[](Json& j) {
         j["choices"][0] = {"time", 2, 2};
       },
       "choices[0]: is out of range"},
      {[](Json& j) {
         j["choices"][0] = {"time", 0, 0};
       },
       "choices[0]: no alternatives"},
      {[](Json& j) {
         j["choices"][0] = {"dice", 2, 0};
       },
       "no choice is called dice"},
      {[](Json& j) {
         j["choices"][0] = {"time", 2};
       },
       "choices[0]: expected"},
      {[](Json& j) { j["digest"] = "xyz"; }, "digest"},
      {[](Json& j) { j["digest"] = 1; }, "digest: expected a text"},
      {[](Json& j) { j["failure"]["kind"] = "bad luck"; }, "no failure is called bad luck"},
      {[](Json& j) { j["failure"]["thread"] = "0.5"; }, "failure.thread"},
      {[](Json& j) { j["failure"]["message"] = std::string(5000, 'x'); }, "is too long"},
      {[](Json& j) { j["failure"]["code"] = 1e12; }, "failure.code"},
      {[](Json& j) { j["failure"]["code"] = 99999999999; }, "failure.code: is out of range"},
      {[](Json& j) { j["program"]["args"] = {1}; }, "program.args[0]"},
      {[](Json& j) { j["program"]["path"] = std::string("a\0b", 3); }, "NUL"},
      {[](Json& j) { j["program"].erase("build_id"); }, "neither build_id nor hash"},
      {[](Json& j) { j["stdin"] = 7; }, "stdin"},
      {[](Json& j) {
         j["stdin"] = {{"base64", "&&&&"}};
       },
       "stdin"},
      {[](Json& j) {
         j["stdin"] = {{"file", "../etc/passwd"}, {"hash", "0"}};
       },
       "stdin.file"},
      {[](Json& j) { j["limits"]["ok_exit"] = {256}; }, "limits.ok_exit"},
      {[](Json& j) { j["limits"]["timeout_ms"] = UINT64_MAX; }, "limits.timeout_ms"},
      {[](Json& j) { j["strategy"] = std::string(200, 's'); }, "strategy: is too long"},
      {[](Json& j) { j["seed"] = "7"; }, "seed: expected a whole number"},
  };
  for (const auto& c : cases) {
    const Error error = error_after(c.change);
    EXPECT_EQ(error.code, Exit::replay_invalid) << c.says;
    EXPECT_THAT(error.message, HasSubstr(c.says));
    EXPECT_THAT(error.message, testing::StartsWith("r.json: "));
  }
}

TEST_F(ReplayFile, AbsurdSizesAreRefused) {
  // Counted before any is looked at.
  const Error error =
      error_after([](Json& j) { j["threads"] = Json(channel::kMaxThreads + 1, Json()); });
  EXPECT_EQ(error.code, Exit::replay_invalid);
  EXPECT_THAT(error.message, HasSubstr("the most there can be"));
}

TEST_F(ReplayFile, NotesOfPeopleAreAllowed) {
  EXPECT_EQ(error_after([](Json& j) { j["comment"] = "seen on a Friday"; }).code, Exit::ok);
}

TEST_F(ReplayFile, UnknownModulesKeepTheirLocations) {
  Recording r = example();
  r.log.segments[0].location = location("elsewhere.so", 0x42);
  Result<Recording> loaded = parse_replay(text(r), "r.json");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->log.segments[0].location, r.log.segments[0].location);
}

TEST(LoadReplayFile, SaysWhyItCannotRead) {
  EXPECT_EQ(load_replay_file("/nowhere/replay.json").error().code, Exit::replay_unreadable);
  EXPECT_EQ(load_replay_file("/dev/null").error().code, Exit::replay_unreadable);
  EXPECT_EQ(load_replay_file("/").error().code, Exit::replay_unreadable);
}

}  // namespace
}  // namespace jostle::cli
