// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/target.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TargetTest : public testing::Test {
 protected:
  TargetTest() {
    std::string name = fs::temp_directory_path() / "jostle-target-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~TargetTest() override { fs::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& text, mode_t mode = 0755) {
    const std::string path = directory_ / name;
    std::ofstream(path, std::ios::binary) << text;
    chmod(path.c_str(), mode);
    return path;
  }

  // A copy of a real program with its header changed.
  template <typename F>
  std::string edited_program(F&& edit, mode_t mode = 0755) {
    std::ostringstream text;
    text << std::ifstream("/bin/true", std::ios::binary).rdbuf();
    std::string bytes = text.str();
    edit(*reinterpret_cast<Elf64_Ehdr*>(bytes.data()), bytes);
    return write("edited", bytes, mode);
  }

  static Error refused(const std::string& path) {
    const Result<Target> target = examine_target(path);
    return target ? Error{Exit::ok, "accepted"} : target.error();
  }

  fs::path directory_;
};

TEST_F(TargetTest, AnOrdinaryProgramIsAccepted) {
  const Result<Target> target = examine_target("/bin/true");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_FALSE(target->instrumented);
  EXPECT_EQ(target->name, "true");
  EXPECT_GT(target->size, 1000u);
  EXPECT_THAT(not_instrumented_note(*target), HasSubstr("was not built with `jostle c++`"));
}

TEST_F(TargetTest, NamesAreLookedUpInPath) {
  const Result<Target> target = examine_target("true");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->given, "true");
  EXPECT_THAT(target->path, testing::EndsWith("/true"));
  EXPECT_EQ(refused("no-such-program-anywhere").code, Exit::missing);
}

TEST_F(TargetTest, WhatIsNotAProgramIsRefused) {
  EXPECT_EQ(refused("").code, Exit::missing);
  EXPECT_EQ(refused("./nowhere").code, Exit::missing);
  EXPECT_EQ(refused("/etc/passwd/x").code, Exit::missing);
  EXPECT_EQ(refused("/tmp").code, Exit::not_a_program);
  EXPECT_EQ(refused("/dev/null").code, Exit::not_a_program);
  EXPECT_EQ(refused(write("text", "hello")).code, Exit::not_a_program);
  EXPECT_EQ(refused(write("empty", "")).code, Exit::not_a_program);
  EXPECT_EQ(refused(write("cut", "\177ELF")).code, Exit::not_a_program);
}

TEST_F(TargetTest, AFifoDoesNotHoldUsUp) {
  const std::string path = directory_ / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0755), 0);
  EXPECT_EQ(refused(path).code, Exit::not_a_program);
}

TEST_F(TargetTest, ScriptsNameTheirInterpreter) {
  const Error error = refused(write("run.sh", "#! /bin/bash -e\necho\n"));
  EXPECT_EQ(error.code, Exit::not_a_program);
  EXPECT_THAT(error.message, HasSubstr("is a script for /bin/bash,"));
}

TEST_F(TargetTest, EachReasonHasItsCode) {
  EXPECT_EQ(refused(edited_program([](auto&, auto&) {}, 0644)).code, Exit::not_executable);
  EXPECT_EQ(refused(edited_program([](auto&, auto&) {}, 04755)).code, Exit::set_id);
  EXPECT_EQ(refused(edited_program([](auto&, auto&) {}, 02755)).code, Exit::set_id);
  EXPECT_EQ(refused(edited_program([](auto& header, auto&) { header.e_machine = EM_RISCV; })).code,
            Exit::architecture);
  EXPECT_EQ(refused(edited_program([](auto& header, auto&) { header.e_type = ET_REL; })).code,
            Exit::not_a_program);
  const auto drop_interpreter = [](Elf64_Ehdr& header, std::string& bytes) {
    auto* segments = reinterpret_cast<Elf64_Phdr*>(bytes.data() + header.e_phoff);
    for (int i = 0; i < header.e_phnum; ++i) {
      if (segments[i].p_type == PT_INTERP) segments[i].p_type = PT_NULL;
    }
  };
  EXPECT_EQ(refused(edited_program(drop_interpreter)).code, Exit::static_program);
}

TEST_F(TargetTest, DamageIsNoDisaster) {
  for (size_t size : {16, 64, 200, 4000, 20000}) {
    const std::string path = edited_program([&](auto&, std::string& bytes) { bytes.resize(size); });
    (void)refused(path);  // any answer, no crash
  }
  for (unsigned step = 1; step < 40; ++step) {
    const std::string path = edited_program([&](auto&, std::string& bytes) {
      for (size_t i = 16 + step; i < bytes.size(); i += 97 * step) bytes[i] = '\xff';
    });
    (void)refused(path);
  }
}

TEST_F(TargetTest, ContentHashSeesEveryByte) {
  const std::string a = write("a", std::string(100'000, 'x'));
  std::string text(100'000, 'x');
  text[70'000] = 'y';
  const std::string b = write("b", text);
  EXPECT_EQ(content_hash(a), content_hash(a));
  EXPECT_NE(content_hash(a), content_hash(b));
  EXPECT_EQ(content_hash("/nowhere"), "");
}

}  // namespace
}  // namespace jostle::cli
