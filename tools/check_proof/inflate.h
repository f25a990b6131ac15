#pragma once
// Reads what gzip wrote (RFC 1951 and 1952): one member after another, with their checksums.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace check_proof {

bool is_gzip(std::string_view bytes);
// None where it is cut off or damaged, or would take more than `most` bytes.
std::optional<std::string> gunzip(std::string_view bytes, std::size_t most);

}  // namespace check_proof
