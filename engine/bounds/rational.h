#pragma once
// Exact numbers for what must not be rounded: kernels, ranks and exponents of the HBL bounds.
#include <vector>

// gcc 12 suspects the small-number buffer of cpp_int once it is inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <boost/multiprecision/cpp_int.hpp>
#pragma GCC diagnostic pop

namespace heliolite {

using Rational = boost::multiprecision::cpp_rational;
using RationalMatrix = std::vector<std::vector<Rational>>;  // rows

}  // namespace heliolite
