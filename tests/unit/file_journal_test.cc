// SPDX-License-Identifier: Apache-2.0
// What a run made is removed after it; what another process made in the meantime, under a name that
// both draw, is not touched.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <filesystem>

#include "src/files/journal.h"

namespace jostle::files {
namespace {

namespace fs = std::filesystem;

class FileJournalTest : public testing::Test {
 protected:
  FileJournalTest() {
    std::string name = fs::temp_directory_path() / "jostle-journal-XXXXXX";
    folder_ = mkdtemp(name.data());
    journal_ = static_cast<channel::FileJournal*>(mmap(nullptr, sizeof(channel::FileJournal),
                                                       PROT_READ | PROT_WRITE,
                                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    journal_->care = channel::FileCare::restore;
  }
  ~FileJournalTest() override {
    munmap(journal_, sizeof *journal_);
    fs::remove_all(folder_);
  }

  bool run_makes(const fs::path& path) {
    Change change(journal_, AT_FDCWD, path.c_str(), false);
    const bool done = mkdir(path.c_str(), 0700) == 0;
    if (!done) change.failed();
    return done;
  }
  void run_removes(const fs::path& path) {
    Change change(journal_, AT_FDCWD, path.c_str(), false);
    ASSERT_EQ(rmdir(path.c_str()), 0);
    change.removed();
  }

  fs::path folder_;
  channel::FileJournal* journal_;
};

TEST_F(FileJournalTest, WhatTheRunMadeIsRemoved) {
  ASSERT_TRUE(run_makes(folder_ / "a"));
  ASSERT_TRUE(run_makes(folder_ / "a/b"));
  put_back(*journal_);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(FileJournalTest, ANameThatTheRunGaveUpIsSomebodyElses) {
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(run_makes(folder_ / "a"));
    run_removes(folder_ / "a");
    ASSERT_EQ(mkdir((folder_ / "a").c_str(), 0700), 0);
    put_back(*journal_);
    EXPECT_TRUE(fs::exists(folder_ / "a"));
    ASSERT_EQ(rmdir((folder_ / "a").c_str()), 0);
  }
  // Made again by the run itself: its own again.
  ASSERT_TRUE(run_makes(folder_ / "a"));
  run_removes(folder_ / "a");
  ASSERT_TRUE(run_makes(folder_ / "a"));
  put_back(*journal_);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(FileJournalTest, ANameThatTheRunDidNotGetIsForgotten) {
  ASSERT_TRUE(run_makes(folder_ / "a"));
  put_back(*journal_);
  ASSERT_EQ(mkdir((folder_ / "a").c_str(), 0700), 0);  // another process has it
  EXPECT_FALSE(run_makes(folder_ / "a"));
  put_back(*journal_);
  EXPECT_TRUE(fs::exists(folder_ / "a"));
  ASSERT_EQ(rmdir((folder_ / "a").c_str()), 0);
  ASSERT_TRUE(run_makes(folder_ / "a"));
  put_back(*journal_);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_STREQ(journal_->records[0].left_alone, "");
}

}  // namespace
}  // namespace jostle::files
