#pragma once
// How input files are to be read, as far as a user can say (--define, --sparse, --rename, --word-bits, the option of
// arch/architecture.h, and of ONNX models --dim, --value, --merge, --elementwise, --skip-unknown).
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/word_length.h"

namespace heliolite {

class YamlNode;

// The sizes of tensors' words as a file or a user states them.

// Bits of the words of the tensors that a selector names: "all", a role, or a tensor's name
// (workloads/word_bits.h).
struct TensorBits {
  std::string tensors;
  WordLength bits;
};

// What a user says of all workloads that are read (--word-bits).
enum class WordBitsSource : u8 {
  File,   // as the file says
  None,   // a level's words, whatever the file says
  Types,  // the element types of an ONNX model
  Given,  // the sizes that are given; the file's for other tensors
};

struct WordBits {
  WordBitsSource source = WordBitsSource::File;
  std::vector<TensorBits> given{};
};

// Another name for a dimension of a workload.
struct Rename {
  std::string from, to;
};

struct ReadOptions {
  std::map<std::string, std::string> defines{};  // names of templates and their values
  bool ignore_sparse = false;                    // read sparse machines and problems as dense ones, with notes
  std::vector<Rename> renames{};                 // carried out all at once
  std::optional<bool> peer_channel{};            // of machines; none: as they say themselves
  WordBits word_bits{};                          // of workloads
  // Options of ONNX models, one an entry as it stands behind '@': "batch=1", "value:sr=16000", "skip-unknown". A
  // workload that is no model and has none inside refuses them, and a model those that it has no use for.
  std::vector<std::string> models{};
  // Where several workloads are read with these options, each takes what it has a use for and its key is added here;
  // unused_model_options() says what none took.
  std::shared_ptr<std::set<std::string>> used_models{};
};

// What Timeloop's files say of sparse tensors and machines. The model is dense: it is refused, or taken out of the
// document with a note (--sparse ignore).

// For the end of a complaint.
inline constexpr std::string_view kSparseAdvice =
    "only dense ones are modelled; with --sparse ignore it is read as a dense one";

// Attributes of storages that only sparse machines have, with underscores.
inline constexpr std::string_view kSparseAttributes[] = {
    "metadata_block_size",      "metadata_datawidth",      "metadata_word_bits",
    "metadata_storage_width",   "metadata_storage_depth",  "metadata_counter_width",
    "metadata_width",           "metadata_depth",          "concordant_compressed_tile_traversal",
    "tile_partition_supported", "decompression_supported", "compression_supported"};

// Whether a density, a number or a distribution with one, is 1.
bool is_dense(const YamlNode& density);

// The document without everything that speaks of sparsity. `notes` gets a sentence that
// says what was taken out, and where, if anything was.
YamlNode without_sparse(const YamlNode& document, std::vector<std::string>& notes);

}  // namespace heliolite
