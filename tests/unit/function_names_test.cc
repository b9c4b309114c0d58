// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/function_names.h"

#include <gtest/gtest.h>

namespace jostle::report {
namespace {

TEST(FunctionNames, LoseParametersAndReturnTypes) {
  EXPECT_EQ(qualified_name("main"), "main");
  EXPECT_EQ(qualified_name("Buffer::Add(int)"), "Buffer::Add");
  EXPECT_EQ(qualified_name("Buffer::Count() const"), "Buffer::Count");
  EXPECT_EQ(qualified_name("Buffer::take() &&"), "Buffer::take");
  EXPECT_EQ(qualified_name("apply(void (*)(int), std::function<void (int)>)"), "apply");
  EXPECT_EQ(qualified_name("void worker<int>(int)"), "worker<int>");
  EXPECT_EQ(qualified_name("std::vector<int> ns::make<int>(int)"), "ns::make<int>");
  EXPECT_EQ(qualified_name("decltype (f({parm#1})) call<int>(int)"), "call<int>");
  EXPECT_EQ(qualified_name("name[abi:cxx11](int)"), "name");
}

TEST(FunctionNames, KeepTemplateArguments) {
  EXPECT_EQ(qualified_name("Queue<int>::push(int)"), "Queue<int>::push");
  EXPECT_EQ(qualified_name("Map<int, std::vector<unsigned long> >::get(int) const"),
            "Map<int,std::vector<unsigned long>>::get");
  EXPECT_EQ(qualified_name("A<(1>(2))>::f()"), "A<(1>(2))>::f");
}

TEST(FunctionNames, KnowOperators) {
  EXPECT_EQ(qualified_name("Buffer::operator()(int)"), "Buffer::operator()");
  EXPECT_EQ(qualified_name("Buffer::operator()"), "Buffer::operator()");
  EXPECT_EQ(qualified_name("Buffer::operator[](int) const"), "Buffer::operator[]");
  EXPECT_EQ(qualified_name("operator<(A const&, A const&)"), "operator<");
  EXPECT_EQ(qualified_name("std::ostream& operator<< <int>(std::ostream&, int)"),
            "operator<< <int>");
  EXPECT_EQ(qualified_name("P<int>::operator->() const"), "P<int>::operator->");
  EXPECT_EQ(qualified_name("A::operator bool() const"), "A::operator bool");
  EXPECT_EQ(qualified_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(qualified_name("A::operator std::vector<int>()"), "A::operator std::vector<int>");
  EXPECT_EQ(qualified_name("my_operator(int)"), "my_operator");
}

TEST(FunctionNames, KnowLambdasAndLocalClasses) {
  EXPECT_EQ(qualified_name("main::{lambda(int)#1}::operator()(int) const"),
            "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(qualified_name("run(int) const::{lambda()#2}::operator()() const"),
            "run::{lambda()#2}::operator()");
  EXPECT_EQ(qualified_name("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
}

TEST(FunctionNames, SurviveWhatIsNoName) {
  for (const char* text : {"", "(", "<", "a<", "operator", "a(b::c", "{", "[abi:", "operator<",
                           "x[abi:y", " ", "operator ", "a::"}) {
    qualified_name(text);
    plain_name(text);
  }
}

TEST(FunctionNames, CloneSuffixes) {
  EXPECT_EQ(without_clone_suffix("f.cold"), "f");
  EXPECT_EQ(without_clone_suffix("f.constprop.0"), "f");
  EXPECT_EQ(without_clone_suffix("A::f(int) [clone .cold]"), "A::f(int)");
  EXPECT_EQ(without_clone_suffix("f"), "f");
}

TEST(FunctionNames, WithoutWhatMayBeLeftOut) {
  EXPECT_EQ(plain_name("ns::Queue<int>::push<long>"), "ns::Queue::push");
  EXPECT_EQ(plain_name("(anonymous namespace)::A<B<int>>::f"), "A::f");
  EXPECT_EQ(plain_name("operator<< <int>"), "operator<<");
  EXPECT_EQ(plain_name("operator<"), "operator<");
}

TEST(FunctionNames, OfTests) {
  EXPECT_EQ(test_name("Bank_Deposit_Test::TestBody"), "Bank.Deposit");
  EXPECT_EQ(test_name("money::Bank_Deposit_Test<int>::TestBody"), "Bank.Deposit<int>");
  EXPECT_EQ(test_name("Bank_takes_all_Test::TestBody"), "Bank_takes_all");
  EXPECT_EQ(test_name("TestBody"), "TestBody");
  EXPECT_EQ(test_name("C_A_T_C_H_T_E_S_T_4"), "TEST_CASE");
  EXPECT_EQ(test_name("CATCH2_INTERNAL_TEST_0"), "TEST_CASE");
  EXPECT_EQ(test_name("_DOCTEST_ANON_FUNC_13"), "TEST_CASE");
  EXPECT_EQ(test_name("takes_all::test_method"), "takes_all");
  EXPECT_EQ(test_name("worker"), "worker");
}

TEST(FunctionNames, OfParallelRegions) {
  EXPECT_EQ(function_of_region("main._omp_fn.0"), "main");
  EXPECT_EQ(function_of_region("Grid::add() [clone ._omp_fn.0]"), "Grid::add");
  EXPECT_EQ(function_of_region("void twice<Grid>(Grid&) [clone ._omp_fn.12]"), "twice<Grid>");
  EXPECT_EQ(function_of_region(".omp_outlined._debug__"), "");
  EXPECT_EQ(function_of_region("main"), std::nullopt);
}

TEST(FunctionNames, OfTheLibrary) {
  EXPECT_TRUE(is_library_name("std::mutex::lock"));
  EXPECT_TRUE(is_library_name("__gthread_mutex_lock"));
  EXPECT_FALSE(is_library_name("standard::lock"));
}

}  // namespace
}  // namespace jostle::report
