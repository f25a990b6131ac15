#pragma once
// A whole workload in one word on the command line: a family with sizes ("gemm:512x512x512",
// "conv:k=64,c=64,p=56,r=3,stride=2") or an Einsum with sizes.
#include <string>
#include <string_view>
#include <vector>

#include "workloads/families.h"
#include "workloads/workload.h"

namespace heliolite {

// Whether `text` is meant to be a workload: it has brackets, or a colon after a name.
bool is_compact_text(std::string_view text);

// The workload. Complaints have the column: file = the text (shortened), field = "column 12". What of it was read
// otherwise than it is written is added to `notes`.
Result<Workload> parse_compact_text(std::string_view text, std::vector<std::string>* notes = nullptr);

// The parameters of a family from the text behind the colon: "512x512x512" or "k=64,c=64,p=56".
Result<Arguments> parse_arguments(const Family& family, std::string_view text);

}  // namespace heliolite
