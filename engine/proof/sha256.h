#pragma once
// SHA-256 (FIPS 180-4): by it a proof names the instance that it is of.
#include <string>
#include <string_view>

namespace heliolite::proof {

std::string sha256_text(std::string_view text);  // 64 hexadecimal digits

}  // namespace heliolite::proof
