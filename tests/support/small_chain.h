#pragma once
// Two products, one behind the other, on a machine with room for what they hand on: a network whose best schedule is
// fused, and proven at once.

namespace heliolite::testing {

inline constexpr const char* kChainMachine =
    "architecture:\n"
    "  name: two_buffers\n"
    "  word_bits: 16\n"
    "  levels:\n"
    "  - {name: DRAM, dram: true, energy: {read: 64, fill: 64, update: 64}}\n"
    "  - {name: Buf, entries: 400, energy: {read: 6, fill: 7, update: 8}}\n"
    "  - {name: Reg, entries: 3, energy: {read: 1, fill: 1, update: 1}}\n"
    "  compute: {name: MAC, energy: 1}\n";

inline constexpr const char* kChain =
    "name: chain\n"
    "layers:\n"
    "- {name: l1, einsum: \"z[i,j] += w[i,k] * x[k,j]\", sizes: {i: 8, j: 12, k: 8}, count: 3}\n"
    "- {name: l2, einsum: \"z[i,j] += w[i,k] * x[k,j]\", sizes: {i: 8, j: 12, k: 8}, count: 3, reads: {x: l1}}\n";

}  // namespace heliolite::testing
