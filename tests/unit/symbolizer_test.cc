// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "src/base/hash.h"

// Found again by their addresses in this very test program.
int symbolizer_test_global[4];
namespace symbolizer_test {
struct Widget {
  static int poke(int value);
};
__attribute__((noinline)) int Widget::poke(int value) {
  symbolizer_test_global[0] += value;
  return symbolizer_test_global[0];
}
}  // namespace symbolizer_test

namespace jostle::report {
namespace {

using testing::HasSubstr;

channel::ModuleRecord own_module() {
  channel::ModuleRecord record{};
  if (readlink("/proc/self/exe", record.path, sizeof record.path - 1) < 0) abort();
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        auto& out = *static_cast<channel::ModuleRecord*>(argument);
        out.bias = info->dlpi_addr;
        out.begin = UINTPTR_MAX;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          out.begin = std::min<uintptr_t>(out.begin, info->dlpi_addr + header.p_vaddr);
          out.end = std::max<uintptr_t>(out.end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
        }
        return 1;  // the program itself comes first
      },
      &record);
  const char* name = strrchr(record.path, '/') + 1;
  record.name_hash = fnv1a(name, strlen(name)) & 0xFFFF;
  return record;
}

uintptr_t address(auto* object) { return reinterpret_cast<uintptr_t>(object); }

class SymbolizerTest : public testing::Test {
 protected:
  channel::ModuleRecord module_ = own_module();
  Symbolizer symbols_{{&module_, 1}};
};

TEST_F(SymbolizerTest, NamesFunctions) {
  const uintptr_t pc = address(&symbolizer_test::Widget::poke);
  const Frame& frame = symbols_.frames(pc, PcKind::exact).back();
  EXPECT_EQ(frame.function, "symbolizer_test::Widget::poke(int)");
  EXPECT_THAT(frame.where, HasSubstr("+0x"));
  EXPECT_FALSE(frame.plumbing);
}

TEST_F(SymbolizerTest, NamesLinesWhenThereIsDebugInformation) {
  if (!symbols_.has_debug_info(symbols_.modules()[0])) GTEST_SKIP() << "built without -g";
  const uintptr_t pc = address(&symbolizer_test::Widget::poke);
  const Frame frame = symbols_.line_that_matters(pc, PcKind::exact);
  EXPECT_THAT(frame.file, testing::EndsWith("symbolizer_test.cc"));
  EXPECT_GT(frame.line, 10);
  EXPECT_THAT(source(frame), testing::StartsWith("symbolizer_test.cc:"));
}

TEST_F(SymbolizerTest, ReturnAddressBelongsToTheCallBeforeIt) {
  // One past the function's first byte is still the same function, also as a return address.
  const uintptr_t pc = address(&symbolizer_test::Widget::poke) + 1;
  EXPECT_EQ(symbols_.frames(pc).back().function, "symbolizer_test::Widget::poke(int)");
}

TEST_F(SymbolizerTest, NamesGlobals) {
  EXPECT_EQ(symbols_.global(address(&symbolizer_test_global[0])), "symbolizer_test_global");
  EXPECT_EQ(symbols_.global(address(&symbolizer_test_global[2])), "symbolizer_test_global+8");
  int local = 0;
  EXPECT_EQ(symbols_.global(address(&local)), "");
}

TEST_F(SymbolizerTest, CodeLocationsGoThereAndBack) {
  const uintptr_t pc = address(&symbolizer_test::Widget::poke);
  const channel::CodeLocation location = module_.name_hash << 48 | (pc - module_.bias);
  EXPECT_EQ(symbols_.address_of(location), pc);
  EXPECT_THAT(symbols_.where(location), HasSubstr("+0x"));
  EXPECT_EQ(symbols_.address_of(0), 0u);
  EXPECT_EQ(symbols_.where(0), "");
  const channel::CodeLocation foreign = (module_.name_hash ^ 1) << 48 | 0x10;
  EXPECT_EQ(symbols_.address_of(foreign), 0u);
  EXPECT_THAT(symbols_.where(foreign), testing::StartsWith("?"));
}

TEST_F(SymbolizerTest, UnknownAddressesStayNumbers) {
  const std::vector<Frame>& frames = symbols_.frames(0x1235);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(source(frames[0]), "0x1234");
}

TEST(SymbolizerOfBadFiles, FallsBackToModuleAndOffset) {
  const std::string junk = testing::TempDir() + "jostle-junk.so";
  std::ofstream(junk) << "\x7f"
                         "ELF\x02\x01\x01 and then nothing sensible"
                      << std::string(5000, '\xff');
  for (const std::string& path : {junk, std::string("/nowhere/lib.so"), std::string("/tmp"),
                                  std::string("/dev/zero"), std::string("")}) {
    channel::ModuleRecord module{};
    std::strncpy(module.path, path.c_str(), sizeof module.path - 1);
    module.bias = module.begin = 0x10000;
    module.end = 0x20000;
    Symbolizer symbols({&module, 1});
    const std::vector<Frame>& frames = symbols.frames(0x10101);
    ASSERT_EQ(frames.size(), 1u) << path;
    EXPECT_THAT(frames[0].where, testing::EndsWith("+0x100"));
    EXPECT_EQ(symbols.global(0x10100), "");
    EXPECT_FALSE(symbols.has_debug_info(symbols.modules()[0]));
  }
  unlink(junk.c_str());
}

TEST(ShortFunction, DropsParametersAndReturnTypes) {
  EXPECT_EQ(short_function("audit()"), "audit");
  EXPECT_EQ(short_function("Bank::audit(int, char const*) const"), "Bank::audit");
  EXPECT_EQ(short_function("void worker<int>(std::vector<int>&)"), "worker<int>");
  EXPECT_EQ(short_function("main"), "main");
  EXPECT_EQ(short_function("Bank::operator()(int) const"), "Bank::operator()");
  EXPECT_EQ(short_function("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  EXPECT_EQ(short_function("operator new(unsigned long)"), "operator new");
}

TEST(ReadableFunction, NamesLambdasByWhereTheyAre) {
  EXPECT_EQ(readable_function("(anonymous namespace)::f(int)"), "f");
  EXPECT_EQ(readable_function("n::(anonymous namespace)::f(int)::{lambda()#1}::operator()() const"),
            "lambda in n::f");
  EXPECT_EQ(readable_function("main::{lambda()#2}::operator()() const"), "lambda in main");
  EXPECT_EQ(readable_function("main::$_1::operator()() const"), "lambda in main");
  EXPECT_EQ(readable_function("Pool::start(int)::{lambda(int)#1}::operator()(int) const"),
            "lambda in Pool::start");
  EXPECT_EQ(readable_function("Functor::operator()(int)"), "Functor");
  EXPECT_EQ(readable_function("operator()"), "operator()");
  EXPECT_EQ(readable_function("worker(void*)"), "worker");
}

TEST(Libraries, AreToldApartByName) {
  EXPECT_TRUE(is_system_library("/lib/aarch64-linux-gnu/libc.so.6"));
  EXPECT_TRUE(is_system_library("/lib/ld-linux-aarch64.so.1"));
  EXPECT_TRUE(is_system_library("/usr/lib/libstdc++.so.6.0.30"));
  EXPECT_FALSE(is_system_library("/opt/libcurl.so.4"));
  EXPECT_FALSE(is_system_library("/opt/libmylib.so"));
  EXPECT_TRUE(is_own_library("/opt/lib/libjostle.so"));
}

}  // namespace
}  // namespace jostle::report
