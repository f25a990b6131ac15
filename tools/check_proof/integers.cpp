#include "check_proof/integers.h"

#include <algorithm>

namespace check_proof {

std::optional<U256> read_u256(std::string_view text) {
  if (text.empty() || text.size() > 78 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  U256 out;
  for (const char c : text)
    if (c < '0' || c > '9' || !out.multiply_add(10, static_cast<u64>(c - '0'))) return std::nullopt;
  return out;
}

std::optional<u64> read_u64(std::string_view text) {
  const std::optional<U256> wide = read_u256(text);
  if (!wide || *wide > U256(~u64{0})) return std::nullopt;
  return wide->limb[0];
}

std::string text_of(U256 v) {
  std::string out;
  do out += static_cast<char>('0' + v.divide(10));
  while (!v.is_zero());
  std::reverse(out.begin(), out.end());
  return out;
}

std::string text_of(i128 v) {
  return v < 0 ? "-" + text_of(U256(static_cast<u128>(-v))) : text_of(U256(static_cast<u128>(v)));
}

std::string scaled_text(U256 v, int bits) {
  const U256 all = v;
  if (!v.multiply_add(1000000, 0)) return text_of(all) + " x 2^-" + std::to_string(bits);
  for (int k = 0; k < bits; ++k) v.divide(2);
  const u64 fraction = v.divide(1000000);
  const std::string digits = std::to_string(1000000 + fraction).substr(1);
  return text_of(v) + (fraction == 0 ? "" : "." + digits);
}

}  // namespace check_proof
