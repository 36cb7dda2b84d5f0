#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/cpu/layout.hpp"
#include "models/cpu/onednn_versions.hpp"
#include "models/cpu/weights_reorder.hpp"
#include "troupe/error.hpp"

namespace troupe::cpu {

/// Memory that is only needed while something runs; all that needs some says how much, and shares it.
class Scratch {
 public:
  /// Makes it at least so long.
  void reserve(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  /// Where it lies, from now on. @return the first address behind it.
  std::byte* place(std::byte* data);

  void* data() const { return data_; }
  float* floats() const { return reinterpret_cast<float*>(data_); }

 private:
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

/// What the primitives of one replica share. They run one after the other, so one scratchpad serves all.
struct Context {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Scratch scratchpad;
  Scratch weights;         ///< in the layout of a primitive that does not take the stored one
  Scratch input;           ///< of a layer, likewise
  Scratch gradient;        ///< of a layer's output, likewise
  Scratch slice;           ///< what lies between two layers that run slice by slice, or its gradient
  Scratch slice_gradient;  ///< of the weights, for a slice after the first
  Scratch activations;     ///< of a layer, as floats, where it computes in no other
  Scratch winograd;        ///< transformed weights, inputs and outputs of a convolution

  std::size_t bytes();
  void place(std::byte* data);

 private:
  std::array<Scratch*, 8> shared();
};

/// Keeps AMX from oneDNN where it does not run, unless the user has told oneDNN what to use (ONEDNN_MAX_CPU_ISA). To be
/// called before its first use. @throws Error unsupported where it was used before and would choose AMX all the same.
void keep_to_what_runs();

/// For as long as it lives oneDNN uses only the calling thread: a replica is one core. Whoever else uses OpenMP in this
/// thread finds it as it was.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// Attributes of every primitive: the scratchpad is ours. oneDNN's ReLU, which makes 0 of NaN, is not used.
dnnl::primitive_attr attributes();

dnnl::memory::data_type type_of(Element element);
dnnl::memory::desc plain_vector(std::int64_t size);
/// Row-major rows x columns.
dnnl::memory::desc plain_matrix(std::int64_t rows, std::int64_t columns);
/// `batch` images of that layout.
dnnl::memory::desc images(std::int64_t batch, const Layout& layout);
/// Any layout, with these extents.
dnnl::memory::desc any_layout(const dnnl::memory::dims& extents, Element element = Element::f32);
dnnl::memory::desc any_layout(const dnnl::memory::desc& like, Element element = Element::f32);
/// True when no float of it is padding.
bool is_dense(const dnnl::memory::desc& desc);
/// The channels that a vector register holds, or that the kernels of this machine want together.
std::int64_t preferred_block();
/// Images in blocks of so many channels: how they lie between all layers of a network.
Layout image_layout(const SampleShape& shape, Element element);
/// True where oneDNN has fast bfloat16 kernels for this machine.
bool has_bf16();

/// A primitive whose arguments, given in a fixed order, change from run to run.
class Primitive {
 public:
  using Arguments = std::vector<std::pair<int, dnnl::memory::desc>>;

  template <class Descriptor>
  Primitive(Context& context, const Descriptor& descriptor, const dnnl::primitive& primitive,
            const Arguments& arguments)
      : Primitive(context, primitive, descriptor.scratchpad_desc(), arguments) {}

  /// One address per argument, in their order.
  void run(std::initializer_list<const void*> addresses);

 private:
  Primitive(Context& context, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
            const Arguments& arguments);

  Context& context_;
  dnnl::primitive primitive_;
  dnnl::memory scratchpad_;
  std::vector<dnnl::memory> memories_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

/// What lies in one layout (weights, a gradient) for a primitive that may want another, or another type. It is
/// reordered, through memory that all layers share, only where it does.
class LayoutPort {
 public:
  LayoutPort(Context& context, Scratch& between, const dnnl::memory::desc& stored, const dnnl::memory::desc& wanted);

  /// Where the primitive reads what is stored there, until another port reads through the same memory.
  const void* read(const void* data);
  /// Where the primitive writes what belongs there; `written` puts it there.
  void* target(void* data);
  void written(void* data);

 private:
  Context& context_;
  Scratch& between_;
  bool same_;
  dnnl::memory stored_;
  dnnl::memory wanted_;
  std::optional<BlockConversion> conversion_;
  dnnl::reorder from_stored_;
  dnnl::reorder to_stored_;
};

/// True for oneDNN's reference loops, a thousand times slower than the others.
inline bool is_reference(std::string_view implementation) { return implementation.starts_with("ref"); }

/// The first descriptor that oneDNN can make and that does not fall to its reference loops; failing that, the last.
/// @throws Error unsupported when none can be made.
template <class Descriptor, class... Make>
Descriptor first_fast(const Make&... make) {
  std::optional<Descriptor> found;
  const auto attempt = [&found](const auto& make_one) {
    if (found && !is_reference(found->impl_info_str())) return;
    try {
      found = make_one();
    } catch (const dnnl::error&) {  // oneDNN's way to say that it has none
    }
  };
  (attempt(make), ...);
  if (!found) throw Error(ErrorCode::unsupported, "oneDNN has no primitive for a layer of this network");
  return *found;
}

}  // namespace troupe::cpu
