/** The rules for metadata (docs/contract.md, Requests). */

const partnerCostFields: ReadonlySet<string> = new Set(
  [
    'cost',
    'costCents',
    'unitCost',
    'partnerCost',
    'partnerCostCents',
    'rewardCost',
    'rewardCostCents',
    'costPerPoint',
    'pointCost',
    'fundingCost',
    'merchantCost',
    'margin',
    'commission',
    'payout',
  ].map(comparable),
);

const metadataLimits = { bytes: 16 * 1024, levels: 8 } as const;

export type MetadataProblem = {
  code: 'FORBIDDEN_METADATA_FIELD' | 'VALIDATION_FAILED';
  message: string;
};

/** Names are compared ignoring case, `_` and `-`. */
function comparable(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/**
 * The first problem of a request's metadata, if any: too large, too deep, or a partner cost field
 * at any depth.
 * @param allowCostFields true for refunds
 */
export function metadataProblem(
  metadata: Record<string, unknown>,
  { allowCostFields }: { allowCostFields: boolean },
): MetadataProblem | undefined {
  // Depth first: deeper metadata could not even be serialized safely.
  const problem = walk(metadata, 'metadata', 1, allowCostFields);
  if (problem) return problem;
  if (new TextEncoder().encode(JSON.stringify(metadata)).byteLength > metadataLimits.bytes) {
    return {
      code: 'VALIDATION_FAILED',
      message: `metadata must be at most ${metadataLimits.bytes} bytes of JSON`,
    };
  }
  return undefined;
}

function walk(
  value: unknown,
  path: string,
  level: number,
  allowCostFields: boolean,
): MetadataProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > metadataLimits.levels) {
    return {
      code: 'VALIDATION_FAILED',
      message: `metadata must be at most ${metadataLimits.levels} levels deep`,
    };
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!allowCostFields && !Array.isArray(value) && partnerCostFields.has(comparable(name))) {
      return {
        code: 'FORBIDDEN_METADATA_FIELD',
        message: `${path}.${name} is a partner cost field; remove it from the metadata`,
      };
    }
    const problem = walk(inner, `${path}.${name}`, level + 1, allowCostFields);
    if (problem) return problem;
  }
  return undefined;
}
