#include "engine/formats/onnx/operators.h"

#include <algorithm>
#include <unordered_map>

namespace heliolite::onnx {
namespace {

using Names = std::string_view;  // with a space between two
using Table = std::unordered_map<std::string_view, OperatorRow>;

// Adds one row for several names.
void add(Table& table, Names names, OperatorRow row) {
  while (!names.empty()) {
    row.name = names.substr(0, names.find(' '));
    table.emplace(row.name, row);
    names.remove_prefix(std::min(names.size(), row.name.size() + 1));
  }
}

// One word in, one word out, at the same position.
void add_elementwise(Table& t) {
  const OperatorRow row{.flow = Passage::Elementwise, .shapes = same_shape};
  add(t,
      "Relu LeakyRelu ThresholdedRelu PRelu Elu Selu Celu Sigmoid HardSigmoid HardSwish Mish Softplus "
      "Softsign Tanh Gelu FastGelu QuickGelu BiasGelu Swish Erf Exp Log Sin Cos Tan Asin Acos Atan Sinh "
      "Cosh Asinh Acosh Atanh Reciprocal Sign IsNaN IsInf Clip Shrink Bernoulli BitwiseNot QuantizeLinear "
      "DequantizeLinear QLinearSigmoid QLinearLeakyRelu Affine ImageScaler ParametricSoftplus ScaledTanh "
      "ReluGrad GeluGrad FastGeluGrad BiasAdd Trilu RotaryEmbedding "
      // QONNX, Brevitas and FINN: values rounded to a few bits, whose words keep their places
      "Quant IntQuant BipolarQuant FloatQuant Trunc MultiThreshold",
      row);
  OperatorRow folded = row;
  folded.fold = fold_unary;
  add(t, "Neg Abs Floor Ceil Round Sqrt Not", folded);
  folded.shapes = broadcast_shape;
  folded.fold = fold_binary;
  add(t, "Add Sub Mul Div Mod Min Max Sum Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor Pow", folded);
  add(t, "Mean BitShift BitwiseAnd BitwiseOr BitwiseXor QLinearAdd QLinearMul",
      {.flow = Passage::Elementwise, .shapes = broadcast_shape});
  add(t, "Where", {.flow = Passage::Elementwise, .shapes = broadcast_shape, .fold = fold_where});
  add(t, "DynamicQuantizeLinear", {.flow = Passage::Elementwise, .shapes = dynamic_quantize_shapes});
  add(t, "BatchNormalization", {.flow = Passage::Elementwise, .shapes = batch_normalization_shapes});
}

void add_normalizations(Table& t) {
  add(t,
      "InstanceNormalization GroupNormalization GroupNorm LRN LpNormalization MeanVarianceNormalization "
      "SkipGroupNorm",
      {.flow = Passage::Norm, .shapes = same_shape});
  add(t,
      "LayerNormalization SimplifiedLayerNormalization RMSNormalization SkipLayerNormalization "
      "SkipSimplifiedLayerNormalization",
      {.flow = Passage::Norm, .shapes = layer_normalization_shapes});
  add(t, "Softmax LogSoftmax Hardmax QLinearSoftmax BiasSoftmax", {.flow = Passage::Softmax, .shapes = same_shape});
}

void add_layouts(Table& t) {
  const auto row = [&](Names names, Shapes (*shapes)(Call&), ContentsPtr (*fold)(Call&, const Folded&)) {
    add(t, names, {.flow = Passage::Layout, .shapes = shapes, .fold = fold});
  };
  row("Identity Dropout OptionalGetElement DebugMarker", same_shape, fold_same);
  row("Cast CastLike", same_shape, fold_cast);
  row("Reshape", reshape_shape, fold_same);
  row("Flatten", flatten_shape, fold_same);
  row("Squeeze", squeeze_shape, fold_same);
  row("Unsqueeze", unsqueeze_shape, fold_same);
  row("Transpose", transpose_shape, fold_transpose);
  row("DepthToSpace", depth_to_space_shape, nullptr);
  row("SpaceToDepth", space_to_depth_shape, nullptr);
}

void add_parts(Table& t) {
  const auto row = [&](Names names, Shapes (*shapes)(Call&), ContentsPtr (*fold)(Call&, const Folded&),
                       const char* lost_by) {
    add(t, names, {.flow = Passage::Part, .shapes = shapes, .fold = fold, .lost_by = lost_by});
  };
  row("Concat", concat_shape, fold_concat, "concat");
  row("Split", split_shapes, fold_split, "slice");
  row("Slice", slice_shape, fold_slice, "slice");
  row("Expand", expand_shape, fold_expand, "expand");
  row("Tile", tile_shape, fold_tile, "expand");
  add(t, "Pad", {.flow = Passage::Pad, .shapes = pad_shape, .lost_by = "pad"});
}

void add_losses(Table& t) {
  const auto row = [&](Names names, Shapes (*shapes)(Call&), const char* lost_by) {
    add(t, names, {.flow = Passage::Lost, .shapes = shapes, .lost_by = lost_by});
  };
  add(t, "Gather", {.shapes = gather_shape, .fold = fold_gather, .lost_by = "gather"});
  row("GatherElements", gather_elements_shape, "gather");
  row("GatherND", gather_nd_shape, "gather");
  row("MaxPool AveragePool LpPool QLinearAveragePool", pool_shape, "pool");
  row("GlobalAveragePool GlobalMaxPool GlobalLpPool QLinearGlobalAveragePool", global_pool_shape, "pool");
  row("Resize Upsample", resize_shape, "resize");
  row("GridSample", grid_sample_shape, "sampling");
  row("ScatterElements ScatterND Scatter TensorScatter ReverseSequence CumSum CumProd", same_shape, "mixed positions");
  row("TopK", top_k_shapes, "top k");
  row("ArgMax ArgMin", arg_shape, "reduce");
  row("ReduceMean ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare", reduce_shape, "reduce");
  add(t, "ReduceSum ReduceProd ReduceMin ReduceMax",
      {.shapes = reduce_shape, .fold = fold_reduce, .lost_by = "reduce"});
  add(t, "Shape", {.shapes = shape_shape, .fold = fold_shape, .lost_by = "shape"});
  add(t, "Size", {.shapes = scalar_shape, .fold = fold_size, .lost_by = "shape"});
  add(t, "ConstantOfShape", {.shapes = filled_shape, .fold = fold_filled});
  add(t, "Range", {.shapes = range_shape, .fold = fold_range});
  add(t, "Constant", {.shapes = constant_shape, .fold = fold_constant});
  add(t, "NonZero", {.shapes = non_zero_shape, .fold = fold_non_zero, .lost_by = "selection"});
  row("OneHot", one_hot_shape, "selection");
  row("EyeLike RandomNormalLike RandomUniformLike", same_shape, "new contents");
  row("RandomNormal RandomUniform", random_shape, "new contents");
  // Shapes from data, sequences, texts, transforms: as the file declares them, or unknown.
  row("Compress Unique NonMaxSuppression RoiAlign MaxRoiPool MaxUnpool Col2Im CenterCropPad AffineGrid Det "
      "Multinomial DFT STFT MelWeightMatrix HannWindow HammingWindow BlackmanWindow Optional "
      "OptionalHasElement SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert "
      "SequenceLength SplitToSequence ConcatFromSequence StringNormalizer StringConcat StringSplit "
      "RegexFullMatch TfIdfVectorizer ImageDecoder NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss "
      "Gradient Adagrad Adam Momentum QLinearConcat EmbedLayerNormalization Crop CropAndResize NhwcMaxPool "
      "Unfold1d BitCast ArrayFeatureExtractor Binarizer CastMap CategoryMapper DictVectorizer "
      "FeatureVectorizer Imputer LabelEncoder Normalizer OneHotEncoder Scaler ZipMap TreeEnsemble "
      "TreeEnsembleClassifier TreeEnsembleRegressor SoftmaxGrad SoftmaxGrad_13 LayerNormalizationGrad "
      "SoftmaxCrossEntropyLossGrad SoftmaxCrossEntropyLossInternal SoftmaxCrossEntropyLossInternalGrad "
      "GatherGrad ConcatTraining SplitTraining BatchNormalizationGrad DropoutGrad InPlaceAccumulator "
      "InPlaceAccumulatorV2 AdamWOptimizer SGDOptimizerV2 ReduceSumTraining MaxPoolGrad AveragePoolGrad "
      "Scale MaxPoolNHWC QuantAvgPool2d Im2Col",
      nullptr, "an operator without a rule");
}

void add_layers(Table& t) {
  const auto row = [&](Names names, Shapes (*shapes)(Call&), Drafts (*layers)(Call&)) {
    add(t, names, {.shapes = shapes, .layers = layers, .kind = Kind::Layer});
  };
  row("Conv FusedConv ConvInteger QLinearConv", conv_shape, conv_layers);
  row("ConvTranspose", conv_transpose_shape, conv_transpose_layers);
  row("MatMul MatMulInteger QLinearMatMul FusedMatMul DynamicQuantizeMatMul MatMulIntegerToFloat "
      "MatMulInteger16 FusedMatMulActivation TransposeMatMul XnorPopcountMatMul",
      matmul_shape, matmul_layers);
  row("Gemm FusedGemm QGemm GemmFastGelu", gemm_shape, gemm_layers);
  row("MatMulNBits MatMulBnb4", packed_matmul_shape, packed_matmul_layers);
  row("Einsum", einsum_shape, einsum_layers);
  row("LSTM GRU RNN", recurrent_shapes, recurrent_layers);
  row("Attention QAttention", attention_shapes, attention_layers);
  row("PackedAttention", packed_attention_shapes, packed_attention_layers);
  row("MultiHeadAttention", multi_head_attention_shapes, multi_head_attention_layers);
  row("PackedMultiHeadAttention", packed_multi_head_attention_shapes, packed_multi_head_attention_layers);
  row("GroupQueryAttention SparseAttention", grouped_query_attention_shapes, grouped_query_attention_layers);
  row("MoE QMoE", moe_shape, moe_layers);
  add(t,
      "DecoderAttention DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention LongformerAttention PagedAttention "
      "LinearAttention "
      "QOrderedAttention QOrderedMatMul "
      "QOrderedLongformerAttention MatMulFpQ4 AttnLSTM DynamicQuantizeLSTM DeformConv NhwcConv "
      "NhwcFusedConv ConvTransposeWithDynamicPads QLinearConvTranspose CausalConvWithState ConvGrad Linear "
      "SVMClassifier SVMRegressor LinearClassifier LinearRegressor GatedRelativePositionBias "
      "RelativePositionBias BeamSearch GreedySearch Sampling WhisperBeamSearch CDist",
      {.kind = Kind::Refused, .lost_by = "an operator that is refused"});
}

Table make_table() {
  Table table;
  add_elementwise(table);
  add_normalizations(table);
  add_layouts(table);
  add_parts(table);
  add_losses(table);
  add_layers(table);
  return table;
}

}  // namespace

const OperatorRow* find_operator(std::string_view name, std::string_view domain) {
  static const Table table = make_table();
  static const OperatorRow refused{.kind = Kind::Refused, .lost_by = "an operator that is refused"};
  static const OperatorRow lost{.lost_by = "an operator without a rule"};
  const auto found = table.find(name);
  if (found == table.end()) return nullptr;
  const OperatorRow& row = found->second;
  const auto in = [&](std::string_view part) { return domain.find(part) != std::string_view::npos; };
  const bool other_layout = in("channels_last") || in("nhwc") || in("nchwc");
  if (other_layout && row.kind == Kind::Layer) return &refused;
  if (other_layout && (row.shapes == pool_shape || row.shapes == global_pool_shape || row.shapes == resize_shape ||
                       row.shapes == batch_normalization_shapes))
    return &lost;
  return &row;
}

const OperatorRow& declared_elementwise() {
  static const OperatorRow row{.name = "elementwise", .flow = Passage::Elementwise, .shapes = same_shape};
  return row;
}

}  // namespace heliolite::onnx
