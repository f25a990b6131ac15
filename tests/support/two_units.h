#pragma once
// A machine of two kinds of compute units beside each other, and layers for each, as files that commands read.
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite {

// Products run on four MXU units below a buffer, the rest on two VPU units with registers of their own.
inline std::string write_two_units(const TempFolder& folder) {
  return folder.write("two.yaml",
                      "architecture:\n  name: two\n  levels:\n  - {name: DRAM, dram: true, energy: 200}\n"
                      "  - {name: SRAM, entries: 512, energy: 6, fanout: 4}\n  compute: {name: MXU, energy: 1}\n"
                      "  units:\n  - {name: VPU, below: SRAM, fanout: 2, energy: 2, "
                      "levels: [{name: VRegs, entries: 4, energy: 0.25, word_bits: 32}]}\n");
}

// A product, and a gate of 16 x 16 values.
inline std::string write_product_and_gate(const TempFolder& folder) {
  return folder.write("w.yaml",
                      "layers:\n- {name: product, gemm: 16x16x16}\n"
                      "- {name: gate, einsum: \"Z[m,n] = A[m,n]*B[m,n]; m=16,n=16\", operation: elementwise}\n");
}

}  // namespace heliolite
