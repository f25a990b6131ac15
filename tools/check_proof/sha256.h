#pragma once
// SHA-256 (FIPS 180-4), by which a proof names the instance that it is of.
#include <string>
#include <string_view>

namespace check_proof {

std::string sha256(std::string_view text);  // 64 hexadecimal digits

}  // namespace check_proof
