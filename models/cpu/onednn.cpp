#include "models/cpu/onednn.hpp"

#include <algorithm>
#include <cstdlib>

#include "models/aligned.hpp"
#include "runtime/amx.hpp"

// Functions of the OpenMP runtime that oneDNN uses. They are declared here instead of by <omp.h>, because the
// compiler's <omp.h> may belong to another OpenMP runtime.
extern "C" void omp_set_num_threads(int count);
extern "C" int omp_get_max_threads();

namespace troupe::cpu {

using dnnl::memory;

namespace {

constexpr auto kFloat = memory::data_type::f32;

/// Makes `object`, a memory object of oneDNN, refer to the memory at `address`. The const_cast is necessary, because
/// oneDNN has no type for read-only memory.
void point_to(const memory& object, const void* address) { object.set_data_handle(const_cast<void*>(address)); }

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool may_use(dnnl::cpu_isa instructions) {
  const auto bits = static_cast<unsigned>(instructions);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

/// Prevents oneDNN from using AMX if AMX does not work on this machine. Returns false if oneDNN would use AMX
/// nevertheless.
bool set_limit() {
  const bool told = is_set("ONEDNN_MAX_CPU_ISA") || is_set("DNNL_MAX_CPU_ISA");
  if (told || !amx_must_be_avoided(lists_amx(), runs_amx)) return true;
  return dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16) == dnnl::status::success ||
         !may_use(dnnl::cpu_isa::avx512_core_amx);
}

}  // namespace

void keep_to_what_runs() {
  static const bool kept = set_limit();
  if (!kept)
    throw Error(
        ErrorCode::unsupported,
        "the processor lists AMX, which does not work here, and oneDNN was used before it could be limited: set "
        "ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16");
}

OneThread::OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
OneThread::~OneThread() { omp_set_num_threads(before_); }

void Scratch::reserve(std::size_t bytes) {
  bytes_ = std::max(bytes_, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

std::byte* Scratch::place(std::byte* data) {
  data_ = data;
  return data + bytes_;
}

std::array<Scratch*, 9> Context::shared() {
  return {&scratchpad, &weights, &input, &gradient, &slice, &slice_gradient, &activations, &layer_gradient, &winograd};
}

std::size_t Context::bytes() {
  std::size_t sum = 0;
  for (const Scratch* const each : shared()) sum += each->bytes();
  return sum;
}

void Context::place(std::byte* data) {
  for (Scratch* const each : shared()) data = each->place(data);
}

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

memory::desc plain_vector(std::int64_t size) { return {{size}, kFloat, memory::format_tag::a}; }

memory::desc plain_matrix(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns}, kFloat, memory::format_tag::ab};
}

memory::data_type type_of(Element element) { return element == Element::f32 ? kFloat : memory::data_type::bf16; }

memory::desc images(std::int64_t batch, const Layout& layout) {
  const memory::dims extents{batch, layout.channels, layout.height, layout.width};
  if (layout.inner == 8) return {extents, type_of(layout.element), memory::format_tag::nChw8c};
  if (layout.inner == 16) return {extents, type_of(layout.element), memory::format_tag::nChw16c};
  return {extents, type_of(layout.element), memory::format_tag::nchw};
}

memory::desc any_layout(const memory::dims& extents, Element element) {
  return {extents, type_of(element), memory::format_tag::any};
}

memory::desc any_layout(const memory::desc& like, Element element) { return any_layout(extents_of(like), element); }

std::int64_t preferred_block() { return dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core ? 16 : 8; }

Layout image_layout(const SampleShape& shape, Element element) {
  return {round_up(shape.channels), shape.height, shape.width, preferred_block(), element};
}

bool has_bf16() { return may_use(dnnl::cpu_isa::avx512_core_bf16); }

bool is_dense(const memory::desc& desc) {
  std::size_t floats = 1;
  for (const std::int64_t extent : extents_of(desc)) floats *= static_cast<std::size_t>(extent);
  return desc.get_size() == floats * sizeof(float);
}

Primitive::Primitive(Context& context, const dnnl::primitive& primitive, const memory::desc& scratchpad,
                     const Arguments& arguments)
    : context_(context), primitive_(primitive), scratchpad_(scratchpad, context.engine, nullptr) {
  context.scratchpad.reserve(scratchpad.get_size());
  arguments_.emplace(DNNL_ARG_SCRATCHPAD, scratchpad_);
  for (const auto& [name, desc] : arguments) {
    memories_.emplace_back(desc, context.engine, nullptr);
    if (!desc.is_zero()) arguments_.emplace(name, memories_.back());
  }
}

void Primitive::run(std::initializer_list<const void*> addresses) {
  for (std::size_t i = 0; i < memories_.size(); ++i)
    if (!memories_[i].get_desc().is_zero()) point_to(memories_[i], addresses.begin()[i]);
  point_to(scratchpad_, context_.scratchpad.data());
  primitive_.execute(context_.stream, arguments_);
}

LayoutPort::LayoutPort(Context& context, Scratch& between, const memory::desc& stored, const memory::desc& wanted)
    : context_(context),
      between_(between),
      same_(stored == wanted),
      stored_(stored, context.engine, nullptr),
      wanted_(wanted, context.engine, nullptr) {
  if (same_) return;
  between.reserve(wanted.get_size());
  conversion_ = BlockConversion::make(stored, wanted);
  from_stored_ = dnnl::reorder(stored_, wanted_);
  to_stored_ = dnnl::reorder(wanted_, stored_);
}

const void* LayoutPort::read(const void* data) {
  if (same_) return data;
  if (conversion_) {
    conversion_->run(static_cast<const float*>(data), between_.data());
    return between_.data();
  }
  point_to(stored_, data);
  point_to(wanted_, between_.data());
  from_stored_.execute(context_.stream, stored_, wanted_);
  return between_.data();
}

void* LayoutPort::target(void* data) { return same_ ? data : between_.data(); }

void LayoutPort::written(void* data) {
  if (same_) return;
  point_to(stored_, data);
  point_to(wanted_, between_.data());
  to_stored_.execute(context_.stream, wanted_, stored_);
}

}  // namespace troupe::cpu
