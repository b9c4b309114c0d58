// iostreams: formats, tied streams, locales put into streams, exception masks, files, cin.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <mutex>
#include <sstream>
#include <thread>

#include "pristine.h"

namespace {

struct Thousands : std::numpunct<char> {
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
};

std::mutex mutex;
std::ostringstream together;
std::ofstream sink;

void work(int number) {
  std::ostringstream own;
  own << std::hex << number * 1000 << ' ' << std::setw(5) << number;
  std::lock_guard<std::mutex> lock(mutex);
  together << own.str() << '\n';
  std::cout << own.str() << std::endl;
  sink << own.str() << '\n';
}

}  // namespace

int main() {
  PRISTINE(together.str().empty() && !sink.is_open());
  PRISTINE(std::cout.width() == 0 && std::cout.precision() == 6 && std::cout.good());
  PRISTINE((std::cout.flags() & std::ios::hex) == 0 && std::cin.tie() == &std::cout);
  PRISTINE(std::cin.good() && std::cin.exceptions() == std::ios::goodbit);
  PRISTINE(std::cout.getloc() == std::locale::classic());
  PRISTINE(std::locale() == std::locale::classic());
  PRISTINE(std::cout.iword(std::ios_base::xalloc()) == 0);
  static const int index = std::ios_base::xalloc();
  PRISTINE(std::cout.iword(index) == 0);
  std::cout.iword(index) = 7;
  const std::locale swiss(std::locale::classic(), new Thousands);
  std::locale::global(swiss);
  std::cout.imbue(swiss);
  std::cout << std::hex << std::setprecision(3) << std::setfill('_');
  sink.open("/dev/null");
  MUST(sink.is_open());
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join(), b.join(), c.join();
  MUST(together.str().size() > 20);
  std::ostringstream number;
  number << 1234567;
  MUST(number.str() == "1'234'567");
  std::string word;
  while (std::cin >> word) {
  }
  MUST(std::cin.eof());
  std::cin.tie(nullptr);
  std::cin.exceptions(std::ios::badbit);
  std::cout << "left in the buffer";
  std::cout.setstate(std::ios::failbit);
}

// SPDX-License-Identifier: Apache-2.0
