#pragma once
// What is to be computed: Einsums, and networks of them.
//
//   auto resnet = heliolite::load_network("resnet18");               // a preset, a file of ours or of Timeloop, ..
//   auto gemm = heliolite::load_network("gemm:512x512x512");         // .. or text
//   auto einsum = heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   if (!resnet) std::puts(to_string(resnet.errors()).c_str());      // file, line, field, what is allowed
//   else std::printf("%zu layers, %llu MACs\n", resnet->layers.size(), (unsigned long long)resnet->macs());
//
// A Workload can also be filled in by hand: infer_roles() and check() then say what is missing.
#include "engine/formats/load_network.h"  // IWYU pragma: export
#include "workloads/einsum_text.h"        // IWYU pragma: export
#include "workloads/network.h"            // IWYU pragma: export
#include "workloads/workload.h"           // IWYU pragma: export
