#include "models/cpu/onednn.hpp"

#include <algorithm>

// Of the OpenMP runtime that oneDNN was built with; a compiler's own <omp.h> may belong to another.
extern "C" void omp_set_num_threads(int count);

namespace troupe::cpu {

using dnnl::memory;

namespace {

constexpr auto kFloat = memory::data_type::f32;

/// oneDNN's memory objects are not const-correct.
void point_to(const memory& object, const void* address) { object.set_data_handle(const_cast<void*>(address)); }

}  // namespace

void use_one_thread() { omp_set_num_threads(1); }

void Context::reserve(std::size_t bytes) {
  scratchpad.resize(std::max(scratchpad.size(), (bytes + sizeof(float) - 1) / sizeof(float)));
}

dnnl::primitive_attr attributes(bool relu) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (relu) {
    dnnl::post_ops operations;
    operations.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    attributes.set_post_ops(operations);
  }
  return attributes;
}

memory::desc plain_vector(std::int64_t size) { return {{size}, kFloat, memory::format_tag::a}; }

memory::desc plain_matrix(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns}, kFloat, memory::format_tag::ab};
}

memory::desc images(std::int64_t batch, const Layout& layout) {
  const memory::dims extents{batch, layout.channels, layout.height, layout.width};
  if (layout.inner == 1) return {extents, kFloat, memory::format_tag::nchw};
  if (layout.inner == 8) return {extents, kFloat, memory::format_tag::nChw8c};
  if (layout.inner == 16) return {extents, kFloat, memory::format_tag::nChw16c};
  return {extents, kFloat, memory::format_tag::nhwc};
}

std::optional<Layout> layout_of(const memory::desc& desc) {
  const memory::dims extents = desc.dims();
  for (const std::int64_t inner : {std::int64_t{16}, std::int64_t{8}, extents[1], std::int64_t{1}}) {
    const Layout layout{extents[1], extents[2], extents[3], inner};
    if (extents[1] % inner == 0 && images(extents[0], layout) == desc) return layout;
  }
  return {};
}

memory::desc any_layout(const memory::dims& extents) { return {extents, kFloat, memory::format_tag::any}; }

memory::desc any_layout(const memory::desc& like) { return any_layout(like.dims()); }

bool is_dense(const memory::desc& desc) {
  std::size_t floats = 1;
  for (const std::int64_t extent : desc.dims()) floats *= static_cast<std::size_t>(extent);
  return desc.get_size() == floats * sizeof(float);
}

Primitive::Primitive(Context& context, const dnnl::primitive& primitive, const memory::desc& scratchpad,
                     const Arguments& arguments)
    : context_(context), primitive_(primitive), scratchpad_(scratchpad, context.engine, nullptr) {
  context.reserve(scratchpad.get_size());
  arguments_.emplace(DNNL_ARG_SCRATCHPAD, scratchpad_);
  for (const auto& [name, desc] : arguments) {
    memories_.emplace_back(desc, context.engine, nullptr);
    arguments_.emplace(name, memories_.back());
  }
}

void Primitive::run(std::initializer_list<const float*> addresses) {
  for (std::size_t i = 0; i < memories_.size(); ++i) point_to(memories_[i], addresses.begin()[i]);
  point_to(scratchpad_, context_.scratchpad.data());
  primitive_.execute(context_.stream, arguments_);
}

WeightsPort::WeightsPort(Context& context, memory::desc stored, memory::desc wanted)
    : context_(context),
      same_(stored == wanted),
      stored_(stored, context.engine, nullptr),
      wanted_(wanted, context.engine, nullptr),
      copy_(same_ ? 0 : wanted.get_size() / sizeof(float)) {
  if (!same_) point_to(wanted_, copy_.data());
}

const float* WeightsPort::read(const float* weights) {
  if (same_) return weights;
  point_to(stored_, weights);
  dnnl::reorder(stored_, wanted_).execute(context_.stream, stored_, wanted_);
  return copy_.data();
}

float* WeightsPort::target(float* gradient) { return same_ ? gradient : copy_.data(); }

void WeightsPort::written(float* gradient) {
  if (same_) return;
  point_to(stored_, gradient);
  dnnl::reorder(wanted_, stored_).execute(context_.stream, wanted_, stored_);
}

}  // namespace troupe::cpu
