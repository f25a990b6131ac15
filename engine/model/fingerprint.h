#pragma once
// Hashes of workloads and machines: results with equal fingerprints answer the same question.
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// 64-bit FNV-1a over every field that can change a cost or a mapspace; names of dimensions, tensors and levels
// count, the description of a machine does not. Stable across machines, compilers and runs.
u64 fingerprint(const Workload& workload);
u64 fingerprint(const Architecture& architecture);
u64 fingerprint(std::string_view text);

std::string to_hex(u64 fingerprint);  // 16 digits

}  // namespace heliolite
