#pragma once
// The mapspace: which mappings a machine's constraints allow, how many there are, and which loop orders matter.
//
//   auto machine = heliolite::load_architecture("eyeriss");
//   auto gemm = heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   auto space = heliolite::resolve(*gemm, *machine);                       // constraints as masks and limits
//   if (space) std::puts(heliolite::mapspace_size(*space).mappings.str().c_str());
//   heliolite::OrderTrie orders = heliolite::build_order_trie(heliolite::infer_reuse(*gemm));
#include <heliolite/mapping.h>  // IWYU pragma: export

#include "engine/space/mapspace.h"       // IWYU pragma: export
#include "engine/space/mapspace_size.h"  // IWYU pragma: export
#include "engine/space/order_trie.h"     // IWYU pragma: export
#include "engine/space/reuse.h"          // IWYU pragma: export
