#include "models/cpu/onednn_versions.hpp"

#include <cstddef>

namespace troupe::cpu {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;

std::string onednn_version() {
  const dnnl_version_t& version = *dnnl_version();
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' + std::to_string(version.patch);
}

#if DNNL_VERSION_MAJOR >= 3

BlockedLayout layout_of(const memory::desc& desc) {
  BlockedLayout layout{desc.get_dims(), desc.get_padded_dims(), desc.get_strides(), {}};
  const memory::dims lengths = desc.get_inner_blks();
  const memory::dims dimensions = desc.get_inner_idxs();
  for (std::size_t i = 0; i < lengths.size(); ++i)
    layout.inner.emplace_back(static_cast<int>(dimensions[i]), lengths[i]);
  return layout;
}

memory::dims extents_of(const memory::desc& desc) { return desc.get_dims(); }
memory::data_type type_of(const memory::desc& desc) { return desc.get_data_type(); }

#else

BlockedLayout layout_of(const memory::desc& desc) {
  const auto& blocking = desc.data.format_desc.blocking;
  const int dimensions = desc.data.ndims;
  BlockedLayout layout{desc.dims(),
                       {desc.data.padded_dims, desc.data.padded_dims + dimensions},
                       {blocking.strides, blocking.strides + dimensions},
                       {}};
  for (int i = 0; i < blocking.inner_nblks; ++i)
    layout.inner.emplace_back(static_cast<int>(blocking.inner_idxs[i]), blocking.inner_blks[i]);
  return layout;
}

memory::dims extents_of(const memory::desc& desc) { return desc.dims(); }
memory::data_type type_of(const memory::desc& desc) { return desc.data_type(); }

#endif

// In oneDNN 3, the constructors of descriptors take separate descriptions of input and output, and a dilation.

EltwiseForward::primitive_desc describe_eltwise(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                                algorithm function, const memory::desc& values) {
  return describe_forward<EltwiseForward>(engine, attributes, prop_kind::forward_training, function, values,
#if DNNL_VERSION_MAJOR >= 3
                                          values,
#endif
                                          0.0F, 0.0F);
}

EltwiseBackward::primitive_desc describe_eltwise_gradient(const dnnl::engine& engine,
                                                          const dnnl::primitive_attr& attributes,
                                                          const EltwiseForward::primitive_desc& hint,
                                                          algorithm function, const memory::desc& values) {
  return describe_backward<EltwiseBackward>(engine, attributes, hint, function, values, values,
#if DNNL_VERSION_MAJOR >= 3
                                            values,
#endif
                                            0.0F, 0.0F);
}

PoolForward::primitive_desc describe_pooling(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                             const Pooling& pooling) {
  return describe_forward<PoolForward>(engine, attributes, prop_kind::forward_training, pooling.how, pooling.source,
                                       pooling.destination, pooling.strides, pooling.kernel,
#if DNNL_VERSION_MAJOR >= 3
                                       memory::dims{0, 0},
#endif
                                       pooling.padding, pooling.far_padding);
}

PoolBackward::primitive_desc describe_pooling_gradient(const dnnl::engine& engine,
                                                       const dnnl::primitive_attr& attributes,
                                                       const PoolForward::primitive_desc& hint,
                                                       const Pooling& pooling) {
  return describe_backward<PoolBackward>(engine, attributes, hint, pooling.how, pooling.source, pooling.destination,
                                         pooling.strides, pooling.kernel,
#if DNNL_VERSION_MAJOR >= 3
                                         memory::dims{0, 0},
#endif
                                         pooling.padding, pooling.far_padding);
}

}  // namespace troupe::cpu
