import { AssignerProtocol } from 'kafkajs';
import type { PartitionAssigner } from 'kafkajs';

/** Partitions of a member when it joins, sent with its request to join as the protocol's user data. */
interface Holdings {
  owned: number[];
  /** Partitions whose message is being handled: moving them would throw work away. */
  busy: number[];
}

export interface Candidate extends Holdings {
  id: string;
}

/**
 * Shares partitions out evenly (numbers differ by one at the most) and lets members keep what they have, what they are
 * working on before all: a member that joins or leaves disturbs as little running work as can be.
 * Like Kafka's sticky assignor (KIP-54), for the one topic that each group of ours reads.
 */
export function shareOut(partitions: number[], members: Candidate[]): Map<string, number[]> {
  if (members.length === 0) return new Map();
  const claims = claimed(new Set(partitions), members);
  const least = Math.floor(partitions.length / members.length);
  let larger = partitions.length % members.length;
  // Members with the most partitions get the larger shares, so that few partitions move.
  const order = [...members].sort((a, b) => size(claims, b) - size(claims, a) || (a.id < b.id ? -1 : 1));
  const shares = order.map(({ id }) => {
    const quota = least + (larger-- > 0 ? 1 : 0);
    return { id, quota, share: (claims.get(id) ?? []).slice(0, quota) };
  });
  const kept = new Set(shares.flatMap(({ share }) => share));
  const free = partitions.filter((partition) => !kept.has(partition));
  for (const { quota, share } of shares) {
    share.push(...free.splice(0, quota - share.length));
    share.sort((a, b) => a - b);
  }
  return new Map(shares.map(({ id, share }) => [id, share]));
}

function size(claims: Map<string, number[]>, { id }: Candidate): number {
  return claims.get(id)?.length ?? 0;
}

/**
 * Returns the partitions of each member, busy ones first. If two claim the same one (a member came back late), one of
 * them gets it.
 */
function claimed(partitions: Set<number>, members: Candidate[]): Map<string, number[]> {
  const free = new Set(partitions);
  const claims = new Map<string, number[]>(members.map(({ id }) => [id, []]));
  const sorted = [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const list of ['busy', 'owned'] as const) {
    for (const { id, [list]: wanted } of sorted) {
      for (const partition of wanted) if (free.delete(partition)) claims.get(id)?.push(partition);
    }
  }
  return claims;
}

const { MemberMetadata, MemberAssignment } = AssignerProtocol;

/** `holdings` is asked each time the member joins. */
export function stickyAssigner(holdings: () => Holdings): PartitionAssigner {
  return ({ cluster }) => ({
    name: 'adit-sticky',
    version: 1,
    async assign({ members, topics }) {
      const candidates = members.map(({ memberId, memberMetadata }) => ({
        id: memberId,
        ...decodeHoldings(MemberMetadata.decode(memberMetadata)?.userData),
      }));
      const perTopic = topics.map((topic) => {
        const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
        return [
          topic,
          shareOut(
            partitions.sort((a, b) => a - b),
            candidates,
          ),
        ] as const;
      });
      return candidates.map(({ id }) => ({
        memberId: id,
        memberAssignment: MemberAssignment.encode({
          version: 1,
          assignment: Object.fromEntries(perTopic.map(([topic, shares]) => [topic, shares.get(id) ?? []])),
          userData: Buffer.alloc(0),
        }),
      }));
    },
    protocol: ({ topics }) => ({
      name: 'adit-sticky',
      metadata: MemberMetadata.encode({ version: 1, topics, userData: Buffer.from(JSON.stringify(holdings())) }),
    }),
  });
}

function decodeHoldings(userData: Buffer | undefined): Holdings {
  try {
    const { owned, busy }: Partial<Holdings> = JSON.parse(String(userData));
    if (Array.isArray(owned) && Array.isArray(busy)) return { owned, busy };
  } catch {
    // Nothing is known of what it has.
  }
  return { owned: [], busy: [] };
}
