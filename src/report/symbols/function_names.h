// SPDX-License-Identifier: Apache-2.0
// Names of functions as people write them: `ns::Queue<int>::push`, without parameters and return
// type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jostle::report {

// From a demangled name, or one that somebody typed: parameters, return type and ABI tags go,
// template arguments stay; spaces only where they are needed.
std::string qualified_name(std::string_view demangled);

// The symbol of which this is a part that the optimiser made: `f` for `f.cold` and `f.part.0`.
std::string without_clone_suffix(std::string_view symbol);

// Where the body of a parallel region or task of OpenMP is written, which compilers make a function
// of its own: `Grid::add` for `Grid::add() [clone ._omp_fn.0]`; empty for clang's `.omp_outlined.`,
// which does not tell. Nothing: it is no such function.
std::optional<std::string> function_of_region(std::string_view function);

// Behind the template arguments, or the unnamed namespace, that begin at `at`; `at` when none do.
// Both can be left out when somebody writes the name.
size_t behind_optional_part(std::string_view qualified, size_t at);

// The same name without any template arguments and unnamed namespaces: `ns::Queue::push`.
std::string plain_name(std::string_view qualified);

// The standard library and what the compiler brings along: `std::…`, and names that are reserved
// to them (`__gthread_mutex_lock`); and what test frameworks are made of.
bool is_library_name(std::string_view qualified);

// What people call a test whose function a framework has named: "Bank.Deposit" of
// Bank_Deposit_Test::TestBody, "TEST_CASE" of C_A_T_C_H_T_E_S_T_4. Other names stay. Not for
// telling tests apart.
std::string test_name(std::string_view function);

}  // namespace jostle::report
