// SPDX-License-Identifier: Apache-2.0
// The columns of an interleaving, as a reader sees them.
#include "src/report/text/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <vector>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using Kind = InterleavingRow::Kind;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A record is too large for the heap, but only what is written costs memory.
struct Unmap {
  void operator()(channel::RunRecord* record) const { munmap(record, sizeof *record); }
};

class Columns : public testing::Test {
 protected:
  Columns()
      : record_(static_cast<channel::RunRecord*>(
            mmap(nullptr, sizeof(channel::RunRecord), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
        symbols_(std::span<const channel::ModuleRecord>{}),
        names_(*record_, symbols_) {}

  void threads(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      auto& table = record_->schedule;
      std::strncpy(table.threads[table.thread_count].name, name,
                   sizeof(channel::ThreadRecord::name) - 1);
      interleaving_.threads.push_back(table.thread_count++);
    }
  }
  void line(uint32_t thread, int number, std::string text, std::string note = {}) {
    InterleavingRow row{Kind::line, thread};
    row.file = "bank.cc";
    row.line = number;
    row.text = std::move(text);
    row.note = std::move(note);
    interleaving_.rows.push_back(row);
  }
  void mark(Kind kind, uint32_t thread, std::string text = {}, uint64_t count = 0) {
    interleaving_.rows.push_back({kind, thread});
    interleaving_.rows.back().text = std::move(text);
    interleaving_.rows.back().count = count;
  }
  std::string text(ColumnOptions options = {}) {
    return columns_text(interleaving_, names_, options);
  }

  std::unique_ptr<channel::RunRecord, Unmap> record_;
  Symbolizer symbols_;
  Names names_;
  Interleaving interleaving_;
};

TEST_F(Columns, OnePerThreadAndTimeRunsDownwards) {
  threads({"", "transfer", "audit"});
  line(0, 50, "std::thread salary(transfer);");
  mark(Kind::left_out, 1, "", 3);
  line(1, 22, "acc[0] -= 50;", "100 → 50");
  mark(Kind::preempted, 1);
  line(2, 38, "sum += acc[0];", "reads 50");
  line(2, 41, "assert(sum == 300);");
  mark(Kind::failed, 2, "assertion fails");
  EXPECT_EQ(
      text(),
      "    main                              T1 transfer                   T2 audit\n"
      "    50 std::thread salary(transfer);\n"
      "                                         … 3 steps\n"
      "                                      22 acc[0] -= 50;  (100 → 50)\n"
      "                                      ── preempted ──\n"
      "                                                                    38 sum += acc[0];  "
      "(reads 50)\n"
      "                                                                    41 assert(sum == "
      "300);\n"
      "                                                                       ✗ assertion "
      "fails\n")
      << text();
}

TEST_F(Columns, ManyThreadsShareOneColumn) {
  threads({"", "a", "b", "c", "d"});
  for (uint32_t thread = 0; thread < 5; ++thread) line(thread, 7, "work();");
  line(4, 8, "more();");
  mark(Kind::preempted, 4);
  EXPECT_EQ(text(),
            "    main │ 7 work();\n"
            "    T1 a │ 7 work();\n"
            "    T2 b │ 7 work();\n"
            "    T3 c │ 7 work();\n"
            "    T4 d │ 7 work();\n"
            "         │ 8 more();\n"
            "         │ ── preempted ──\n");
}

TEST_F(Columns, NeverWiderThanAsked) {
  threads({"", "a", "b", "c"});
  for (uint32_t thread = 0; thread < 4; ++thread) {
    line(thread, 1234, std::string(80, 'x') + "();", "counter: 18446744073709 → 18446744073710");
  }
  const std::string all = text();
  size_t start = 0;
  for (size_t end; (end = all.find('\n', start)) != std::string::npos; start = end + 1) {
    EXPECT_LE(width(all.substr(start, end - start)), 100u) << all;
  }
}

// Every line of a text, for a look at its width.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    lines.push_back(text.substr(start, end - start));
  }
  return lines;
}

TEST_F(Columns, OneColumnWhereSeveralWouldBeTooNarrow) {
  threads({"", "transfer", "audit"});
  for (uint32_t thread = 0; thread < 3; ++thread) {
    line(thread, 22, "account.balance -= account.fee(amount, today);", "100 → 50");
  }
  EXPECT_THAT(text({.width = 100}), HasSubstr("    T1 transfer │ 22 account.balance"));
  EXPECT_THAT(text({.width = 100}), Not(HasSubstr("…")));
  EXPECT_THAT(text({.width = 200}), StartsWith("    main        "));
  EXPECT_THAT(text({.width = 200}), Not(HasSubstr("│")));
}

TEST_F(Columns, ANarrowTerminalHasTheValuesBelow) {
  threads({"", "transfer"});
  line(1, 22, "account.balance -= amount;", "100 → 50");
  EXPECT_EQ(text({.width = 40, .most_columns = 1}),
            "  T1   │ 22 account.balance -= amount;\n"
            "       │    (100 → 50)\n");
}

TEST_F(Columns, FitAnyTerminal) {
  threads({"", "transfer", "audit"});
  for (uint32_t thread = 0; thread < 3; ++thread) {
    line(thread, 1234, "const auto " + std::string(90, 'y') + " = f();", "18446744073709 → 5");
    mark(Kind::left_out, thread, "", 1234);
  }
  mark(Kind::folded, 2, "… 1,234 steps, 881 preemptions");
  mark(Kind::failed, 2, "assertion `" + std::string(90, 'z') + "' fails");
  for (size_t columns = 40; columns <= 200; columns += 10) {
    const std::string all = text({.width = columns});
    for (const std::string& line : lines_of(all)) EXPECT_LE(width(line), columns) << all;
    EXPECT_THAT(all, HasSubstr("18446744073709 → 5"));
    EXPECT_THAT(all, HasSubstr("… 1,234 steps, 881 preemptions\n"));
  }
}

TEST_F(Columns, FilesAreNamedWhenThereAreSeveral) {
  threads({"", "a"});
  line(0, 7, "work();");
  line(1, 8, "more();");
  EXPECT_THAT(text(), Not(HasSubstr("bank.cc")));
  interleaving_.rows.back().file = "other.cc";
  EXPECT_THAT(text(), HasSubstr("bank.cc:7 work();"));
  EXPECT_THAT(text(), HasSubstr("other.cc:8 more();"));
}

TEST_F(Columns, TheFileOfMostLinesIsNamedOnce) {
  threads({"", "a"});
  line(0, 7, "work();");
  line(1, 8, "more();");
  line(1, 9, "most();");
  interleaving_.rows.back().file = "other.cc";
  EXPECT_THAT(text(), StartsWith("    (lines of bank.cc where no file is named)\n"));
  EXPECT_THAT(text(), HasSubstr(" 7 work();"));
  EXPECT_THAT(text(), HasSubstr("other.cc:9 most();"));
}

TEST_F(Columns, ColourOnlyWhenAsked) {
  threads({"", "a"});
  line(0, 7, "work();");
  mark(Kind::preempted, 0);
  EXPECT_EQ(text().find('\x1b'), std::string::npos);
  EXPECT_NE(text({.colour = true}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace jostle::report
