// SPDX-License-Identifier: Apache-2.0
// In front of libstdc++'s own file of this name. Before C++20 the members of std::string are called
// in libstdc++.so, which is not instrumented; with the value that libstdc++ has for this they are
// compiled with the program, as C++20 does. Those of streams and locales are not.
#pragma GCC system_header
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
#include_next <bits/basic_string.tcc>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
